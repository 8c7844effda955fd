// A line printed to a socket says that the WRITE has arrived.
#define OWN_SERVER
#include "grid.h"
#include <stdio.h>
#include <unistd.h>
uint64_t inbox[64];
static uint64_t data = 7, got, pushed;
void serve(int socket) {
  char c;
  if (read(socket, &c, 1) != 1)
    abort();
  got = inbox[0];
}
void run(struct link *l, int socket) {
  put(l, &data, 8, 0);
  take(l->cq);
  fetch(l, &pushed, 8, 0);
  take(l->cq);
  dprintf(socket, "go\n");
}

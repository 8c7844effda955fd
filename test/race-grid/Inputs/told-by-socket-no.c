// A polled WRITE is announced over a socket; it may not be in the server's memory yet.
#define OWN_SERVER
#include "grid.h"
#include <sys/socket.h>
volatile uint64_t inbox[2], seen;
static uint64_t data = 7, pushed;
void serve(int fd) {
  char token;
  if (recv(fd, &token, 1, 0) == 1)
    seen = inbox[0];
}
void run(struct link *l, int fd) {
  put(l, &data, 8, 0);
  take(l->cq);
  fetch(l, &pushed, 8, 8);
  take(l->cq);
  send(fd, "x", 1, 0);
}

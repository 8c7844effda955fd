// A line written through a FILE says that the WRITE has arrived.
#define OWN_SERVER
#include "grid.h"
#include <stdio.h>
uint64_t inbox[64];
static uint64_t data = 7, got, pushed;
void serve(FILE *in) {
  char c[8];
  if (!fgets(c, sizeof c, in))
    abort();
  got = inbox[0];
}
void run(struct link *l, FILE *out) {
  put(l, &data, 8, 0);
  take(l->cq);
  fetch(l, &pushed, 8, 0);
  take(l->cq);
  fputs("go\n", out);
  fflush(out);
}

// All but one are waited for in front of each request and at the end.
#include "grid.h"
static char buf[64];
static int out;
static void drain(struct link *l) {
  while (out > 1) {
    take(l->cq);
    out--;
  }
}
static void tell(struct link *l, int v) {
  drain(l);
  buf[0] = v;
  put(l, buf, 64, 0);
  out++;
}
void run(struct link *l) {
  drain(l);
  tell(l, 1);
  tell(l, 2);
  drain(l);
  drain(l);
  buf[0] = 0;
}

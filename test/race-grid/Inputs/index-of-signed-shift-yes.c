// A number below zero that is shifted leads below an array, into the member that is sent.
#include "grid.h"
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[((int)(n & 127) - 64) >> 1] = 1;
  take(l->cq);
}

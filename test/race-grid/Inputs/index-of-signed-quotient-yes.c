// A quotient below zero leads below an array, into the member that is sent.
#include "grid.h"
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[((int)(n & 127) - 64) / 2] = 1;
  take(l->cq);
}

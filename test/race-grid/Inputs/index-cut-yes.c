// A sum that is kept in a byte comes out below zero, where the member is that is sent.
#include "grid.h"
static struct {
  char b[64], between[64], a[256];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[(signed char)((n & 127) + 100)] = 1;
  take(l->cq);
}

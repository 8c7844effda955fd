// A masked number is kept in a member, read back, and may lead to the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
  int at;
} s;
void run(struct link *l, int n) {
  put(l, s.b, 64, 0);
  s.at = n & 127;
  s.a[s.at] = 1;
  take(l->cq);
}

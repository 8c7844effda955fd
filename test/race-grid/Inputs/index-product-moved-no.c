// A number is counted before its product is tested; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  n++;
  if (n * 3 < 64) {
    s.a[n * 3] = 1;
  }
  take(l->cq);
}

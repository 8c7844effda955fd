// The second cursor goes on where the first one stays, and leaves the array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *t) {
  put(l, s.b, 64, 0);
  unsigned i = 0, j = 0;
  while (i < 64) {
    s.a[j] = t[i];
    j += 1;
    i += t[i] == 92 ? 0 : 1;
  }
  take(l->cq);
}

// A member begins as -1, which is tested; the member before the array is sent.
#include "grid.h"
static struct {
  char b[64], a[64];
  int best;
} s = {.best = -1};
void run(struct link *l, const int *found) {
  put(l, s.b, 64, 0);
  for (int i = 0; i < 64; i++)
    if (found[i])
      s.best = i;
  if (s.best >= 0)
    s.a[s.best] = 0;
  take(l->cq);
}

// A pointer in memory may be null; the completion is taken where it is not.
#include "grid.h"
static char page[64], x[64], y[64];
static struct {
  char *to;
} s;
void run(struct link *l, int kind) {
  if (kind)
    s.to = x;
  if (kind > 3)
    s.to = y;
  put(l, page, 64, 0);
  if (kind)
    take(l->cq);
  if (s.to)
    s.to[0] = 1;
  page[0] = 1;
}

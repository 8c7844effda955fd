// A pointer in memory is null where the completion is not taken.
#include "grid.h"
static char page[64], x[64], y[64];
struct kept {
  char *to;
};
void run(struct link *l, int kind) {
  struct kept k;
  memset(&k, 0, sizeof k);
  if (kind != 17)
    k.to = x;
  if (kind > 30)
    k.to = y;
  put(l, page, 64, 0);
  if (kind != 17)
    take(l->cq);
  if (k.to)
    k.to[0] = 1;
  page[0] = 1;
  put(l, &k, sizeof k, 128);
  put(l, x, 64, 64);
  take(l->cq);
  take(l->cq);
}

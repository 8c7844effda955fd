// The result is kept in a structure, and looked at there.
#include "grid.h"
#include <stdio.h>
static char page[64];
struct stat {
  int last;
};
void run(struct link *l, struct stat *s) {
  struct ibv_wc wc;
  put(l, page, 64, 0);
  do
    s->last = ibv_poll_cq(l->cq, 1, &wc);
  while (s->last == 0);
  if (s->last < 0)
    abort();
  page[0] = 1;
}

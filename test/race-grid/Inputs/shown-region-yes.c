// Whoever has a region of set-up code finds in it where the buffer is.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
static struct ibv_mr *mr, *other;
void init(struct ibv_pd *pd) {
  mr = ibv_reg_mr(pd, buf, sizeof buf, 0);
  other = ibv_reg_mr(pd, spare, sizeof spare, 0);
}
struct ibv_mr *lend(void) { return mr; }
void run(struct link *l, char *given) {
  put(l, buf, 64, 0);
  given[0] = 1;
  take(l->cq);
}

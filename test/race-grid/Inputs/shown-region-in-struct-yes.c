// A struct that set-up code returns has a region, which leads to the buffer.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
static struct pool {
  int n;
  struct ibv_mr *mr;
} pool;
void init(struct ibv_pd *pd) { pool.mr = ibv_reg_mr(pd, buf, 64, 0); }
struct pool lend(void) { return pool; }
void run(struct link *l, struct ibv_mr *given) {
  put(l, buf, 64, 0);
  *(char *)given->addr = 1;
  take(l->cq);
}

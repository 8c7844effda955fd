// The connection that ends is the one that was posted to.
#include "grid.h"
struct pool {
  struct link links[4];
};
struct place {
  struct link *now;
  long rounds;
};
static char page[64];
void run(struct pool *p, struct place *mine, struct place *yours, unsigned at) {
  mine->now = &p->links[at & 3];
  submit(mine->now, IBV_WR_RDMA_WRITE, page, 64, 0, 0);
  yours->rounds = at;
  if (ibv_destroy_qp(mine->now->qp))
    abort();
  page[0] = 1;
}

// Twin: it is changed behind the poll.
#include "grid.h"
static struct ibv_mr *mr;
static char page[64];
void run(struct link *l) {
  put(l, mr->addr, 64, 0);
  take(l->cq);
  page[0] = 1;
}
void connect_to(struct link *l, struct ibv_pd **pd);
int main(void) {
  static struct link l;
  struct ibv_pd *pd;
  connect_to(&l, &pd);
  mr = ibv_reg_mr(pd, page, 64, IBV_ACCESS_LOCAL_WRITE);
  if (!mr)
    return 1;
  run(&l);
}

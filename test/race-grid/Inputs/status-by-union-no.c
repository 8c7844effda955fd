// Where nothing has come, as a status says that is stored by another name of its place, nothing is done.
#include "grid.h"
static char buf[64];
union completion {
  struct ibv_wc wc;
  int words[12];
};
void run(struct link *l) {
  union completion c;
  c.words[2] = -1;
  put(l, buf, 64, 0);
  while (ibv_poll_cq(l->cq, 1, &c.wc) == 0)
    if (c.wc.status == (enum ibv_wc_status)-1) {
      return;
    }
  buf[0] = 1;
}

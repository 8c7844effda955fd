// A status that no header lists says that nothing has come; it is stored by another name of its place.
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
      buf[0] = 2;
      return;
    }
  buf[0] = 1;
}

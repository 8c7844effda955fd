// A started poll that finds nothing is counted like one that has taken a completion.
#include "grid.h"
static char buf[2][64];
static void finish(struct link *l, int want) {
  struct ibv_cq_ex *cq = (struct ibv_cq_ex *)l->cq;
  struct ibv_poll_cq_attr with = {0};
  while (want > 0) {
    if (ibv_start_poll(cq, &with))
      continue;
    do {
      if (cq->status != IBV_WC_SUCCESS)
        abort();
      want--;
    } while (want > 0 && ibv_next_poll(cq) >= 0);
    ibv_end_poll(cq);
  }
}
void run(struct link *l) {
  for (int i = 0; i < 100; i++) {
    memset(buf, i, sizeof buf);
    put(l, buf[0], 64, 0);
    put(l, buf[1], 64, 64);
    finish(l, 2);
  }
}

/* Up to eight records are under way at once, from a ring of four slots. */
#include "request.h"

enum { SLOTS = 4, WINDOW = 8 };
static uint64_t ring[SLOTS][8];

int ship(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, int count, uint64_t remote, uint32_t rkey) {
  struct ibv_wc wc[WINDOW];
  int posted = 0, done = 0;
  while (done < count) {
    while (posted < count && posted - done < WINDOW) {
      uint64_t *record = ring[posted % SLOTS];
      record[0] = posted;
      if (post(qp, IBV_WR_RDMA_WRITE, record, sizeof ring[0], lkey, remote + sizeof ring[0] * posted, rkey))
        return -1;
      posted++;
    }
    int taken = ibv_poll_cq(cq, WINDOW, wc);
    if (taken < 0)
      return -1;
    for (int i = 0; i < taken; i++)
      if (wc[i].status != IBV_WC_SUCCESS)
        return -1;
    done += taken;
  }
  return 0;
}

// It goes on when the completion is not a receive's.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int n;
  do {
    n = ibv_poll_cq(e->sent, 1, &wc);
    if (n < 0)
      abort();
  } while (n == 0 || (wc.opcode & IBV_WC_RECV));
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

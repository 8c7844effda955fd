// It looks at what it has taken.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int n;
  for (;;) {
    n = ibv_poll_cq(e->sent, 1, &wc);
    if (n < 0)
      abort();
    if (n == 1 && wc.opcode == IBV_WC_RECV)
      break;
  }
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

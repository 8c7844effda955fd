// What it looks at may be what it has never taken.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int n;
  memset(&wc, 255, sizeof wc);
  do {
    n = ibv_poll_cq(e->sent, 1, &wc);
    if (n < 0)
      abort();
  } while (!(wc.opcode & IBV_WC_RECV));
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

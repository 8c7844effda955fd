// Each kind clears its bit.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int open = 3;
  while (open) {
    if (ibv_poll_cq(e->sent, 1, &wc) == 0)
      continue;
    switch (wc.opcode) {
    case IBV_WC_RECV:
      open &= ~1;
      break;
    case IBV_WC_SEND:
      open &= ~2;
      break;
    default:
      abort();
    }
  }
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

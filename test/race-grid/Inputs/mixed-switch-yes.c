// Each bit is cleared by the other kind.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int open = 1;
  while (open) {
    if (ibv_poll_cq(e->sent, 1, &wc) == 0)
      continue;
    switch (wc.opcode) {
    case IBV_WC_RECV:
      open &= ~2;
      break;
    case IBV_WC_SEND:
      open &= ~1;
      break;
    default:
      abort();
    }
  }
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

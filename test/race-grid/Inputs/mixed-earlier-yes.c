// It tests the completion before the last.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int n;
  int received = 0;
  do {
    n = ibv_poll_cq(e->sent, 1, &wc);
    if (n < 0)
      abort();
    if (n > 0)
      received = wc.opcode == IBV_WC_RECV;
  } while (n == 0);
  if (!received)
    do
      n = ibv_poll_cq(e->sent, 1, &wc);
    while (received);
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

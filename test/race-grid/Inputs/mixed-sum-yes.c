// One of both is enough for it.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc;
  int n;
  struct ibv_wc two[2];
  (void)wc;
  for (n = 0; n < 1;)
    n += ibv_poll_cq(e->sent, 2 - n, two);
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

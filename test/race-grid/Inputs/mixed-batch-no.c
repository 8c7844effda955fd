// One is missing where one has come.
#include "one-queue.h"
static inline void until_answered(struct end *e) {
  struct ibv_wc wc[2];
  int n = 0;
  while (n == 0)
    n = ibv_poll_cq(e->sent, 2, wc);
  if (n < 0)
    abort();
  if (n == 1)
    while (ibv_poll_cq(e->sent, 1, wc) == 0)
      ;
}
#define CLIENT_WAITS until_answered(&e)
#include "mixed-call.h"

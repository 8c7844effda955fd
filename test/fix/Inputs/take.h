/* An own header that reaches verbs before anything else does, with a poll in an inline function. */
#ifndef TAKE_H
#define TAKE_H

#include <infiniband/verbs.h>

/* Takes completions until COUNT are taken; the number that were not next in turn. */
static inline int take(struct ibv_cq *cq, int count, uint64_t *next) {
  struct ibv_wc wc[4];
  int wrong = 0;
  while (count > 0) {
    int n = ibv_poll_cq(cq, count < 4 ? count : 4, wc);
    for (int i = 0; i < n; i++)
      wrong += wc[i].status != IBV_WC_SUCCESS || wc[i].wr_id != (*next)++;
    count -= n > 0 ? n : 0;
    if (n < 0)
      return -1;
  }
  return wrong;
}

#endif

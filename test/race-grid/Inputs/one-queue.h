// Two ends with one completion queue for all that they send and receive.
#pragma once

#include "messages.h"

#ifndef ALL_SIGNALED
#define ALL_SIGNALED 0
#endif

static inline void open_mixed(struct end *e) {
  struct ibv_qp_init_attr a;
  memset(&a, 0, sizeof a);
  memset(e, 0, sizeof *e);
  e->sent = e->received = ibv_create_cq(device(), 64, NULL, NULL, 0);
  a.send_cq = a.recv_cq = e->sent;
  a.qp_type = IBV_QPT_RC;
  a.sq_sig_all = ALL_SIGNALED;
  e->qp = ibv_create_qp(ibv_alloc_pd(device()), &a);
  if (!e->qp)
    abort();
}

// Takes so many completions of either kind.
static inline void take_kinds(struct end *e, int sends, int receives) {
  while (sends > 0 || receives > 0) {
    struct ibv_wc wc;
    int n = ibv_poll_cq(e->sent, 1, &wc);
    if (n < 0)
      abort();
    if (n == 0)
      continue;
    if (wc.status != IBV_WC_SUCCESS)
      abort();
    if (wc.opcode & IBV_WC_RECV)
      receives--;
    else
      sends--;
  }
}

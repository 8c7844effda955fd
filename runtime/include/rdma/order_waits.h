/* Requests of its own that <rdma/order.h>, which includes this, posts behind the program's and waits for. */
#ifndef RDMA_ORDER_WAITS_H
#define RDMA_ORDER_WAITS_H

#pragma GCC system_header

#include <infiniband/verbs.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>

#include "order_requests.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called with the name of the call when it fails. Null: print one line and abort. */
extern void (*rdma_order_on_error)(const char *call, struct ibv_qp *qp, int error);
RDMA_ORDER_SHARED void (*rdma_order_on_error)(const char *call, struct ibv_qp *qp, int error);

static inline int rdma_order_fail(const char *call, struct ibv_qp *qp, int error, const char *reason) {
  if (rdma_order_on_error) {
    rdma_order_on_error(call, qp, error);
    return error;
  }
  fprintf(stderr, "%s: queue pair %u: %s\n", call, qp->qp_num, reason);
  abort();
}

/* Not connected yet, or not any more: then nothing of it is under way. */
static inline int rdma_order_is_idle(struct ibv_qp *qp) {
  struct ibv_qp_attr attr;
  struct ibv_qp_init_attr init;
  return !ibv_query_qp(qp, &attr, (int)IBV_QP_STATE, &init) &&
         (attr.qp_state == IBV_QPS_RESET || attr.qp_state == IBV_QPS_INIT || attr.qp_state == IBV_QPS_RTR);
}

enum { rdma_order_idle = -1 };

/* Posts the request, also when the send queue is full at first. Or says that there is nothing to wait for. */
static inline int rdma_order_post(struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct ibv_send_wr *bad;
  struct rdma_order_patience patience = {time(NULL), 0};
  if (qp->qp_type == IBV_QPT_UD || qp->qp_type == IBV_QPT_RAW_PACKET)
    return EOPNOTSUPP; /* all that these can post arrives somewhere */
  for (;;) {
    int error = ibv_post_send(qp, wr, &bad), count;
    if (error != ENOMEM)
      return error && rdma_order_is_idle(qp) ? (int)rdma_order_idle : error;
    count = rdma_order_collect(qp->send_cq);
    if (count < 0)
      return EIO;
    if (!rdma_order_goes_on(&patience, count, 5))
      return ENOMEM;
  }
}

/* A queue that was made out of sight: another thread may be in the old poll function, but not for long. */
static inline void rdma_order_begin_watch(struct ibv_context *context) {
  struct timeval grace = {0, 10000};
  if (!rdma_order_watch(context))
    select(0, NULL, NULL, NULL, &grace);
}

/* Sixty-four requests are waited for at a time. Null: there are as many. */
static inline struct rdma_order_waiter *rdma_order_try_begin(struct ibv_qp *qp) {
  struct rdma_order_waiter *w = NULL;
  uint32_t i;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (i = 0; i < 64 && !w; ++i)
    if (!rdma_order_state.waiters[i].is_used) {
      w = &rdma_order_state.waiters[i];
      w->is_used = 1;
      w->number = i;
      rdma_order_identify(w, qp->qp_num);
    }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return w;
}

static inline void rdma_order_end(struct rdma_order_waiter *w) {
  pthread_mutex_lock(&rdma_order_state.lock);
  w->is_used = 0;
  w->wr_id = 0;
  __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&rdma_order_state.lock);
}

/* The queue pair had failed before the request's turn came; the request that failed tells the program. */
static inline int rdma_order_was_told(enum ibv_wc_status status) {
  return status == IBV_WC_WR_FLUSH_ERR || status == IBV_WC_RETRY_EXC_ERR ||
         status == IBV_WC_RNR_RETRY_EXC_ERR;
}

/* A request of one of these calls. */
struct rdma_order_sent {
  struct ibv_qp *qp;
  struct rdma_order_waiter *waiter;
  int error; /* of posting it */
};

/* Posts the request, once a waiter is free; or at once, and then not always: says whether it has. */
static inline int rdma_order_send(struct rdma_order_sent *sent, struct ibv_qp *qp, struct ibv_send_wr *wr,
                                  int at_once) {
  rdma_order_begin_watch(qp->context);
  sent->qp = qp;
  while (!(sent->waiter = rdma_order_try_begin(qp))) {
    if (at_once)
      return 0;
    sched_yield();
  }
  wr->wr_id = sent->waiter->wr_id;
  wr->send_flags = IBV_SEND_SIGNALED;
  sent->error = rdma_order_post(qp, wr);
  return 1;
}

/* Waits for the request's completion. */
static inline int rdma_order_await(const char *call, struct rdma_order_sent *sent) {
  struct rdma_order_waiter *w = sent->waiter;
  struct ibv_qp *qp = sent->qp;
  enum ibv_wc_status status;
  int error = sent->error;
  while (!error && !rdma_order_is_done(w))
    if (rdma_order_collect(qp->send_cq) < 0)
      error = EIO;
  status = w->status;
  rdma_order_end(w);
  if (error == rdma_order_idle)
    return 0;
  if (error)
    return rdma_order_fail(call, qp, error, strerror(error));
  if (status == IBV_WC_SUCCESS)
    return 0;
  return rdma_order_was_told(status) ? EIO : rdma_order_fail(call, qp, EIO, ibv_wc_status_str(status));
}

/* Posts the request and waits for its completion. */
static inline int rdma_order_run(const char *call, struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct rdma_order_sent sent;
  rdma_order_send(&sent, qp, wr, 0);
  return rdma_order_await(call, &sent);
}

/* A request for nothing, of a kind that the peer allows for certain. */
static inline void rdma_order_empty(struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct rdma_order_qp *record = rdma_order_find(qp);
  memset(wr, 0, sizeof *wr);
  wr->opcode = record && rdma_order_is_noted(record, qp) && record->has_read && !record->has_written
                   ? IBV_WR_RDMA_READ
                   : IBV_WR_RDMA_WRITE;
}

#ifdef __cplusplus
}
#endif

#endif

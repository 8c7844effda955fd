/* What <rdma/order.h> knows of the requests that a program posts: what was written last, which rdma_flush
 * reads back, and what rdma_wait_all_but has out. */
#ifndef RDMA_ORDER_REQUESTS_H
#define RDMA_ORDER_REQUESTS_H

#pragma GCC system_header

#include <infiniband/verbs.h>

#include <errno.h>

#include "order_completions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a queue pair. Records are never freed, so that they can be looked up without a lock. */
struct rdma_order_qp {
  struct rdma_order_qp *next;
  struct ibv_qp *qp;
  int busy;             /* of the fields below */
  uint32_t noted;       /* the number of the queue pair that they are about */
  uint64_t remote_addr; /* written last */
  uint32_t rkey;
  uint32_t length; /* at most eight bytes of it */
  int has_written, has_read;
  /* Of rdma_wait_all_but: how many calls there were, up to which of them all is complete, and the requests
   * that tell of later ones. */
  int in_call;
  uint32_t qp_num;
  uint64_t calls, done, marked[2];
  struct rdma_order_waiter *marks;
};

/* One of each for all sources of a program. */
extern struct rdma_order_qp *rdma_order_qps[64];
RDMA_ORDER_SHARED struct rdma_order_qp *rdma_order_qps[64];

static inline struct rdma_order_qp *rdma_order_find(struct ibv_qp *qp) {
  struct rdma_order_qp *at = __atomic_load_n(&rdma_order_qps[(uintptr_t)qp / 64 % 64], __ATOMIC_ACQUIRE);
  while (at && at->qp != qp)
    at = at->next;
  return at;
}

/* The record, made when there is none yet. */
static inline struct rdma_order_qp *rdma_order_record(struct ibv_qp *qp) {
  struct rdma_order_qp *record = rdma_order_find(qp), **head = &rdma_order_qps[(uintptr_t)qp / 64 % 64];
  if (record)
    return record;
  pthread_mutex_lock(&rdma_order_state.lock);
  record = rdma_order_find(qp);
  if (!record) {
    record = (struct rdma_order_qp *)calloc(1, sizeof *record);
    if (!record)
      abort();
    record->qp = qp;
    record->next = *head;
    __atomic_store_n(head, record, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return record;
}

/* Two threads that post on one queue pair note one after the other. */
static inline void rdma_order_hold(struct rdma_order_qp *record) {
  while (__atomic_exchange_n(&record->busy, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}
static inline void rdma_order_release(struct rdma_order_qp *record) {
  __atomic_store_n(&record->busy, 0, __ATOMIC_RELEASE);
}

/* Not where code that does not include this has ended one, and another has come to its address. */
static inline int rdma_order_is_noted(const struct rdma_order_qp *record, const struct ibv_qp *qp) {
  return __atomic_load_n(&record->noted, __ATOMIC_RELAXED) == qp->qp_num;
}

/* What is held is about this queue pair now. */
static inline void rdma_order_begin_note(struct rdma_order_qp *record, const struct ibv_qp *qp) {
  if (rdma_order_is_noted(record, qp))
    return;
  record->length = 0;
  record->has_written = record->has_read = 0;
  __atomic_store_n(&record->noted, qp->qp_num, __ATOMIC_RELAXED);
}

/* Is_write: a WRITE, and no atomic operation, which needs another right at the other end. */
static inline void rdma_order_note_change(struct ibv_qp *qp, uint64_t remote_addr, uint32_t rkey,
                                          uint64_t length, int is_write) {
  struct rdma_order_qp *record;
  if (!length)
    return;
  record = rdma_order_record(qp);
  rdma_order_hold(record);
  rdma_order_begin_note(record, qp);
  record->remote_addr = remote_addr;
  record->rkey = rkey;
  record->length = length < 8 ? (uint32_t)length : 8;
  record->has_written |= is_write;
  rdma_order_release(record);
}

static inline void rdma_order_note_read(struct ibv_qp *qp) {
  struct rdma_order_qp *record = rdma_order_record(qp);
  rdma_order_hold(record);
  rdma_order_begin_note(record, qp);
  record->has_read = 1;
  rdma_order_release(record);
}

static inline uint64_t rdma_order_length(const struct ibv_sge *list, int count) {
  uint64_t length = 0;
  int i;
  for (i = 0; i < count; ++i)
    length += list[i].length;
  return length;
}

/* The requests of a list before end. */
static inline void rdma_order_note_list(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr *end) {
  for (; wr && wr != end; wr = wr->next) {
    if (wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
      rdma_order_note_change(qp, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey,
                             rdma_order_length(wr->sg_list, wr->num_sge), 1);
    else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
      rdma_order_note_change(qp, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey, 8, 0);
    else if (wr->opcode == IBV_WR_RDMA_READ)
      rdma_order_note_read(qp);
  }
}

static inline int rdma_order_is_done(const struct rdma_order_waiter *w) {
  int done;
  pthread_mutex_lock(&rdma_order_state.lock);
  done = w->is_done;
  pthread_mutex_unlock(&rdma_order_state.lock);
  return done;
}

/* Waits until no request of rdma_wait_all_but is out on the queue pair, for a second without completions at
 * most; says whether there was one. */
static inline int rdma_order_settle(struct ibv_qp *qp) {
  struct rdma_order_qp *record = rdma_order_find(qp);
  struct rdma_order_patience patience = {time(NULL), 0};
  int i, was_out = 0;
  for (i = 0; record && record->marks && i < 2; ++i)
    while (!rdma_order_is_done(&record->marks[i])) {
      int count = rdma_order_collect(qp->send_cq);
      was_out = 1;
      if (count < 0 || !rdma_order_goes_on(&patience, count, 1))
        return was_out;
    }
  return was_out;
}

RDMA_ORDER_NAMED int rdma_order_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
                                          struct ibv_send_wr **bad_wr);
RDMA_ORDER_NAMED void rdma_order_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
RDMA_ORDER_NAMED void rdma_order_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                   __be32 imm_data);
RDMA_ORDER_NAMED void rdma_order_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
RDMA_ORDER_NAMED void rdma_order_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                   uint64_t compare, uint64_t swap);
RDMA_ORDER_NAMED void rdma_order_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey,
                                                     uint64_t remote_addr, uint64_t add);

RDMA_ORDER_NAMED int rdma_order_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
                                          struct ibv_send_wr **bad_wr) {
  int error = ibv_post_send(qp, wr, bad_wr);
  rdma_order_note_list(qp, wr, error ? *bad_wr : NULL);
  /* The room that was there for the program's request may be taken by ours. */
  while (error == ENOMEM && rdma_order_settle(qp)) {
    wr = *bad_wr;
    error = ibv_post_send(qp, wr, bad_wr);
    rdma_order_note_list(qp, wr, error ? *bad_wr : NULL);
  }
  return error;
}

/* The length comes later there; one byte is enough to read back. */
RDMA_ORDER_NAMED void rdma_order_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr) {
  rdma_order_note_change(&qp->qp_base, remote_addr, rkey, 1, 1);
  ibv_wr_rdma_write(qp, rkey, remote_addr);
}

RDMA_ORDER_NAMED void rdma_order_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                   __be32 imm_data) {
  rdma_order_note_change(&qp->qp_base, remote_addr, rkey, 1, 1);
  ibv_wr_rdma_write_imm(qp, rkey, remote_addr, imm_data);
}

RDMA_ORDER_NAMED void rdma_order_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr) {
  rdma_order_note_read(&qp->qp_base);
  ibv_wr_rdma_read(qp, rkey, remote_addr);
}

RDMA_ORDER_NAMED void rdma_order_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                   uint64_t compare, uint64_t swap) {
  rdma_order_note_change(&qp->qp_base, remote_addr, rkey, 8, 0);
  ibv_wr_atomic_cmp_swp(qp, rkey, remote_addr, compare, swap);
}

RDMA_ORDER_NAMED void rdma_order_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey,
                                                     uint64_t remote_addr, uint64_t add) {
  rdma_order_note_change(&qp->qp_base, remote_addr, rkey, 8, 0);
  ibv_wr_atomic_fetch_add(qp, rkey, remote_addr, add);
}

#ifdef __cplusplus
}
#endif

#endif

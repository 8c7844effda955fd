/* Order between RDMA operations: the two calls that rdma-fix inserts. C99 and C++, on any libibverbs.
 *
 *   int rdma_wait(struct ibv_qp *qp)
 *     Returns when every request posted on qp so far has completed, unsignaled ones too: posts an empty
 *     request behind them and waits for its completion. Their sources may be changed and their results read
 *     then. A WRITE that has completed may still be on its way into remote memory.
 *
 *   int rdma_flush(struct ibv_qp *qp)
 *     The same, and everything written on qp is in remote memory: reads up to eight bytes back from the
 *     memory that the program wrote last on qp. Does nothing when the program has written nothing on qp.
 *     The remote region and queue pair must allow IBV_ACCESS_REMOTE_READ, and max_rd_atomic of qp must not
 *     be 0.
 *
 * Both return 0, or an error number. A queue pair that failed through a request of the program has nothing
 * under way any more, and the program is told by its own completions: then the number is all. Any other
 * failure calls rdma_order_on_error, which prints one line and ends the program by default: the code behind
 * an order that failed must not run. A program that wants to go on sets rdma_order_on_error to a function of
 * its own that returns.
 *
 * Include it before every other header that reaches <infiniband/verbs.h>, in every source that posts on the
 * same queues: it redirects ibv_post_send and ibv_wr_* to functions below that note what was written last.
 * Completions need no such care. A completion of the program that turns up while one of the two calls waits
 * is kept, and handed to the program's own later polls in order: none is lost, none is seen twice, and polls
 * never see the completions of these calls. For that the poll function of the device's context is replaced,
 * so it holds for all code of the process, wherever it was compiled. Not for ibv_start_poll, which does not
 * go through the context; and a thread that sleeps in ibv_get_cq_event may be woken for nothing.
 *
 * Leave room for one request in the send queue and one completion in the queue; a full send queue is waited
 * for as long as completions come, and reported (ENOMEM) after five seconds without any.
 */
#ifndef RDMA_ORDER_H
#define RDMA_ORDER_H

#include <infiniband/verbs.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "order_completions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a queue pair. Records are never freed, so that they can be looked up without a lock. */
struct rdma_order_qp {
  struct rdma_order_qp *next;
  struct ibv_qp *qp;
  int busy;             /* of the fields below */
  uint64_t remote_addr; /* written last */
  uint32_t rkey;
  uint32_t length; /* at most eight bytes of it */
  int has_written, has_read;
};

/* Where rdma_flush reads to, once per protection domain. */
struct rdma_order_scratch {
  struct rdma_order_scratch *next;
  struct ibv_pd *pd;
  struct ibv_mr *mr;
  uint64_t *page;
};

/* One of each for all sources of a program. */
__attribute__((weak)) struct rdma_order_qp *rdma_order_qps[64];
__attribute__((weak)) struct rdma_order_scratch *rdma_order_scratches;

/* Called with the name of the call when it fails. Null: print one line and abort. */
__attribute__((weak)) void (*rdma_order_on_error)(const char *call, struct ibv_qp *qp, int error);

/* -- what was written last ------------------------------------------------------------------------------ */

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

static inline void rdma_order_note_write(struct ibv_qp *qp, uint64_t remote_addr, uint32_t rkey,
                                         uint64_t length) {
  struct rdma_order_qp *record;
  if (!length)
    return;
  record = rdma_order_record(qp);
  rdma_order_hold(record);
  record->remote_addr = remote_addr;
  record->rkey = rkey;
  record->length = length < 8 ? (uint32_t)length : 8;
  record->has_written = 1;
  rdma_order_release(record);
}

static inline void rdma_order_note_read(struct ibv_qp *qp) {
  __atomic_store_n(&rdma_order_record(qp)->has_read, 1, __ATOMIC_RELAXED);
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
      rdma_order_note_write(qp, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey,
                            rdma_order_length(wr->sg_list, wr->num_sge));
    else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
      rdma_order_note_write(qp, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey, 8);
    else if (wr->opcode == IBV_WR_RDMA_READ)
      rdma_order_note_read(qp);
  }
}

static inline int rdma_order_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
                                       struct ibv_send_wr **bad_wr) {
  int error = ibv_post_send(qp, wr, bad_wr);
  rdma_order_note_list(qp, wr, error ? *bad_wr : NULL);
  return error;
}

/* The length comes later there; one byte is enough to read back. */
static inline void rdma_order_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr) {
  rdma_order_note_write(&qp->qp_base, remote_addr, rkey, 1);
  ibv_wr_rdma_write(qp, rkey, remote_addr);
}

static inline void rdma_order_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                __be32 imm_data) {
  rdma_order_note_write(&qp->qp_base, remote_addr, rkey, 1);
  ibv_wr_rdma_write_imm(qp, rkey, remote_addr, imm_data);
}

static inline void rdma_order_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                uint64_t compare, uint64_t swap) {
  rdma_order_note_write(&qp->qp_base, remote_addr, rkey, 8);
  ibv_wr_atomic_cmp_swp(qp, rkey, remote_addr, compare, swap);
}

static inline void rdma_order_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
                                                  uint64_t add) {
  rdma_order_note_write(&qp->qp_base, remote_addr, rkey, 8);
  ibv_wr_atomic_fetch_add(qp, rkey, remote_addr, add);
}

/* -- the two calls -------------------------------------------------------------------------------------- */

static inline int rdma_order_fail(const char *call, struct ibv_qp *qp, int error, const char *reason) {
  if (rdma_order_on_error) {
    rdma_order_on_error(call, qp, error);
    return error;
  }
  fprintf(stderr, "%s: queue pair %u: %s\n", call, (unsigned)qp->qp_num, reason);
  abort();
}

/* Posts the request, also when the send queue is full at first. */
static inline int rdma_order_post(struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct ibv_send_wr *bad;
  time_t last = time(NULL);
  for (;;) {
    int error = ibv_post_send(qp, wr, &bad), count;
    if (error != ENOMEM)
      return error;
    count = rdma_order_collect(qp->send_cq);
    if (count < 0)
      return EIO;
    if (count)
      last = time(NULL);
    if (time(NULL) - last > 5)
      return ENOMEM;
  }
}

/* Sixty-four calls wait at a time, others until one of them is over. */
static inline struct rdma_order_waiter *rdma_order_begin(struct ibv_context *context) {
  const struct timespec grace = {0, 10000000};
  struct rdma_order_waiter *w = NULL;
  int i;
  /* A queue that was made out of sight: another thread may be in the old poll function, but not for long. */
  if (!rdma_order_watch(context))
    nanosleep(&grace, NULL);
  while (!w) {
    pthread_mutex_lock(&rdma_order_state.lock);
    for (i = 0; i < 64 && !w; ++i)
      if (!rdma_order_state.waiters[i].is_used)
        w = &rdma_order_state.waiters[i];
    if (w) {
      w->is_used = 1;
      w->is_done = 0;
      __atomic_add_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&rdma_order_state.lock);
    if (!w)
      sched_yield();
  }
  return w;
}

static inline void rdma_order_end(struct rdma_order_waiter *w) {
  pthread_mutex_lock(&rdma_order_state.lock);
  w->is_used = 0;
  __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&rdma_order_state.lock);
}

static inline int rdma_order_is_done(const struct rdma_order_waiter *w) {
  int done;
  pthread_mutex_lock(&rdma_order_state.lock);
  done = w->is_done;
  pthread_mutex_unlock(&rdma_order_state.lock);
  return done;
}

/* The queue pair had failed before the request's turn came; the request that failed tells the program. */
static inline int rdma_order_was_told(enum ibv_wc_status status) {
  return status == IBV_WC_WR_FLUSH_ERR || status == IBV_WC_RETRY_EXC_ERR ||
         status == IBV_WC_RNR_RETRY_EXC_ERR;
}

/* Posts the request and waits for its completion. */
static inline int rdma_order_run(const char *call, struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct rdma_order_waiter *w = rdma_order_begin(qp->context);
  enum ibv_wc_status status;
  int error;
  wr->wr_id = (uintptr_t)w;
  wr->send_flags = IBV_SEND_SIGNALED;
  error = rdma_order_post(qp, wr);
  while (!error && !rdma_order_is_done(w))
    if (rdma_order_collect(qp->send_cq) < 0)
      error = EIO;
  status = w->status;
  rdma_order_end(w);
  if (error)
    return rdma_order_fail(call, qp, error, strerror(error));
  if (status == IBV_WC_SUCCESS)
    return 0;
  return rdma_order_was_told(status) ? EIO : rdma_order_fail(call, qp, EIO, ibv_wc_status_str(status));
}

static inline int rdma_wait(struct ibv_qp *qp) {
  struct ibv_send_wr wr;
  struct rdma_order_qp *record = rdma_order_find(qp);
  memset(&wr, 0, sizeof wr);
  /* A kind that the peer allows for certain. */
  wr.opcode = record && record->has_read && !record->has_written ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
  return rdma_order_run("rdma_wait", qp, &wr);
}

/* Eight bytes of memory in the protection domain, for results that nobody reads. Null with errno set. */
static inline struct rdma_order_scratch *rdma_order_scratch_of(struct ibv_pd *pd) {
  struct rdma_order_scratch *s;
  void *page = NULL;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (s = rdma_order_scratches; s && s->pd != pd; s = s->next)
    ;
  if (!s && !posix_memalign(&page, 4096, 4096)) {
    s = (struct rdma_order_scratch *)calloc(1, sizeof *s);
    if (!s)
      abort();
    s->pd = pd;
    s->page = (uint64_t *)page;
    s->mr = ibv_reg_mr(pd, page, 4096, (int)IBV_ACCESS_LOCAL_WRITE);
    if (s->mr) {
      s->next = rdma_order_scratches;
      rdma_order_scratches = s;
    } else {
      free(page);
      free(s);
      s = NULL;
    }
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return s;
}

static inline int rdma_flush(struct ibv_qp *qp) {
  struct ibv_send_wr wr;
  struct ibv_sge sge;
  struct rdma_order_qp *record = rdma_order_find(qp);
  struct rdma_order_scratch *scratch;
  memset(&wr, 0, sizeof wr);
  memset(&sge, 0, sizeof sge);
  if (record) {
    rdma_order_hold(record);
    wr.wr.rdma.remote_addr = record->remote_addr;
    wr.wr.rdma.rkey = record->rkey;
    sge.length = record->length;
    rdma_order_release(record);
  }
  if (!sge.length)
    return 0;
  scratch = rdma_order_scratch_of(qp->pd);
  if (!scratch)
    return rdma_order_fail("rdma_flush", qp, errno, strerror(errno));
  sge.addr = (uintptr_t)scratch->page;
  sge.lkey = scratch->mr->lkey;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  return rdma_order_run("rdma_flush", qp, &wr);
}

/* -- objects that go away ------------------------------------------------------------------------------- */

static inline int rdma_order_destroy_qp(struct ibv_qp *qp) {
  struct rdma_order_qp *record = rdma_order_find(qp);
  /* Before its address can belong to another one, which then has this record. */
  if (record) {
    rdma_order_hold(record);
    record->length = 0;
    record->has_written = record->has_read = 0;
    rdma_order_release(record);
  }
  return ibv_destroy_qp(qp);
}

static inline int rdma_order_destroy_cq(struct ibv_cq *cq) {
  int error = ibv_destroy_cq(cq);
  if (!error && __atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&rdma_order_state.lock);
    while (rdma_order_hand_out(cq, 16, NULL))
      ;
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  return error;
}

static inline int rdma_order_dealloc_pd(struct ibv_pd *pd) {
  struct rdma_order_scratch **at, *found;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (at = &rdma_order_scratches; *at && (*at)->pd != pd;)
    at = &(*at)->next;
  found = *at;
  if (found)
    *at = found->next;
  pthread_mutex_unlock(&rdma_order_state.lock);
  if (found) {
    ibv_dereg_mr(found->mr);
    free(found->page);
    free(found);
  }
  return ibv_dealloc_pd(pd);
}

#ifdef __cplusplus
}
#endif

#define ibv_post_send rdma_order_post_send
#define ibv_create_cq rdma_order_create_cq
#define ibv_wr_rdma_write rdma_order_wr_rdma_write
#define ibv_wr_rdma_write_imm rdma_order_wr_rdma_write_imm
#define ibv_wr_atomic_cmp_swp rdma_order_wr_atomic_cmp_swp
#define ibv_wr_atomic_fetch_add rdma_order_wr_atomic_fetch_add
#define ibv_destroy_qp rdma_order_destroy_qp
#define ibv_destroy_cq rdma_order_destroy_cq
#define ibv_dealloc_pd rdma_order_dealloc_pd

#endif

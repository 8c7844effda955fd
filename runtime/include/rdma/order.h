/* Order between RDMA operations: the calls that rdma-fix inserts. C99 and C++, on any libibverbs.
 *
 *   int rdma_wait(struct ibv_qp *qp)
 *     Returns when every request posted on qp so far has completed, unsignaled ones too: posts an empty
 *     request behind them and waits for its completion. Their sources may be changed and their results read
 *     then. A WRITE that has completed may still be on its way into remote memory.
 *
 *   int rdma_wait_all_but(struct ibv_qp *qp, int count)
 *     Returns when every request that was posted on qp before the count-th last call of it is complete, this
 *     call not counted. A loop that calls it before each round fills one of count + 1 buffers, and posts from
 *     it, so never fills one that is still being read, and at most count rounds are under way. Until count
 *     calls have been made it waits for nothing; with a count of 0 it is rdma_wait.
 *
 *   int rdma_flush(struct ibv_qp *qp)
 *     The same, and everything written on qp is in remote memory: reads up to eight bytes back from the
 *     memory that the program wrote last on qp. Does nothing when the program has written nothing on qp.
 *     The remote region and queue pair must allow IBV_ACCESS_REMOTE_READ, and max_rd_atomic of qp must not
 *     be 0.
 *
 *   int rdma_wait_all(int count, ...)
 *   int rdma_flush_all(int count, ...)
 *     The same for so many queue pairs, each a struct ibv_qp *, which are waited for at once: in the time of
 *     the slowest of them, up to eight at a time. One that fails leaves none of the others under way; what is
 *     returned is the first error.
 *
 * All return 0, or an error number. A queue pair that is not connected has nothing under way: that is 0. One
 * that failed through a request of the program has nothing under way any more, and the program is told by its
 * own completions: then the number is all. A datagram queue pair cannot be waited for (EOPNOTSUPP). Any other
 * failure calls rdma_order_on_error, which prints one line and ends the program by default: the code behind
 * an order that failed must not run. A program that wants to go on sets rdma_order_on_error to a function of
 * its own that returns.
 *
 * Include it before every other header that reaches <infiniband/verbs.h>, in every source that posts on the
 * same queues: it redirects ibv_post_send and ibv_wr_* to functions below that note what was written last.
 * Completions need no such care. A completion of the program that turns up while one of these calls waits
 * is kept, and handed to the program's own later polls in order: none is lost, none is seen twice, and polls
 * never see the completions of these calls. For that the poll function of the device's context is replaced,
 * so it holds for all code of the process, wherever it was compiled. Not for ibv_start_poll, which does not
 * go through the context; and a thread that sleeps in ibv_get_cq_event may be woken for nothing: it must ask
 * for the next event, poll again and go back to sleep then.
 *
 * Leave room for one request in the send queue and one completion in the queue, for two where
 * rdma_wait_all_but is called; a full send queue is waited for as long as completions come, and reported
 * (ENOMEM) after five seconds without any.
 */
#ifndef RDMA_ORDER_H
#define RDMA_ORDER_H

/* A project's -Wold-style-cast or -Winline is about its own code. */
#pragma GCC system_header

#include <infiniband/verbs.h>

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "order_waits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where rdma_flush reads to, once per protection domain. */
struct rdma_order_scratch {
  struct rdma_order_scratch *next;
  struct ibv_pd *pd;
  struct ibv_mr *mr;
  void *memory;
  uint64_t *page; /* one of its own in there, as fork() may take pages of the device from children */
};

/* One of each for all sources of a program. */
extern struct rdma_order_scratch *rdma_order_scratches;
RDMA_ORDER_SHARED struct rdma_order_scratch *rdma_order_scratches;

RDMA_ORDER_NAMED int rdma_wait(struct ibv_qp *qp);
RDMA_ORDER_NAMED int rdma_wait_all_but(struct ibv_qp *qp, int count);
RDMA_ORDER_NAMED int rdma_flush(struct ibv_qp *qp);
RDMA_ORDER_NAMED int rdma_wait_all(int count, ...);
RDMA_ORDER_NAMED int rdma_flush_all(int count, ...);
RDMA_ORDER_NAMED int rdma_order_destroy_qp(struct ibv_qp *qp);
RDMA_ORDER_NAMED int rdma_order_destroy_cq(struct ibv_cq *cq);
RDMA_ORDER_NAMED int rdma_order_dealloc_pd(struct ibv_pd *pd);

/* -- the calls ------------------------------------------------------------------------------------------ */

RDMA_ORDER_NAMED int rdma_wait(struct ibv_qp *qp) {
  struct ibv_send_wr wr;
  rdma_order_empty(qp, &wr);
  return rdma_order_run("rdma_wait", qp, &wr);
}

/* Another queue pair than the one before: what was out there is nobody's any more. */
static inline void rdma_order_forget_marks(struct rdma_order_qp *record) {
  int i;
  for (i = 0; record->marks && i < 2; ++i)
    if (!rdma_order_is_done(&record->marks[i]))
      record->marks = NULL; /* its completion may still come */
  record->calls = record->done = record->marked[0] = record->marked[1] = 0;
}

/* Waits for the one of the record's two requests that is out for longer. */
static inline int rdma_order_await_mark(struct ibv_qp *qp, struct rdma_order_qp *record) {
  int i = record->marked[0] <= record->done ||
          (record->marked[1] > record->done && record->marked[1] < record->marked[0]);
  while (!rdma_order_is_done(&record->marks[i]))
    if (rdma_order_collect(qp->send_cq) < 0)
      return rdma_order_fail("rdma_wait_all_but", qp, EIO, strerror(EIO));
  record->done = record->marked[i];
  if (record->marks[i].status == IBV_WC_SUCCESS)
    return 0;
  return rdma_order_was_told(record->marks[i].status)
             ? EIO
             : rdma_order_fail("rdma_wait_all_but", qp, EIO, ibv_wc_status_str(record->marks[i].status));
}

/* Posts a request that says by its completion that all before this call is complete. */
static inline int rdma_order_mark(struct ibv_qp *qp, struct rdma_order_qp *record) {
  struct ibv_send_wr wr;
  int i, error = 0;
  if (record->marked[0] > record->done && record->marked[1] > record->done)
    error = rdma_order_await_mark(qp, record);
  if (error)
    return error;
  i = record->marked[0] > record->done;
  rdma_order_empty(qp, &wr);
  pthread_mutex_lock(&rdma_order_state.lock);
  rdma_order_identify(&record->marks[i], qp->qp_num);
  pthread_mutex_unlock(&rdma_order_state.lock);
  record->marks[i].cq = qp->send_cq;
  wr.wr_id = record->marks[i].wr_id;
  wr.send_flags = IBV_SEND_SIGNALED;
  error = rdma_order_post(qp, &wr);
  if (!error) {
    record->marked[i] = record->calls;
    return 0;
  }
  pthread_mutex_lock(&rdma_order_state.lock);
  record->marks[i].wr_id = 0;
  record->marks[i].is_done = 1;
  __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&rdma_order_state.lock);
  if (error != rdma_order_idle)
    return rdma_order_fail("rdma_wait_all_but", qp, error, strerror(error));
  record->done = record->calls;
  return 0;
}

/* One request of ours for about half of what may be out, so that one of them is on its way back while the
 * program posts. */
RDMA_ORDER_NAMED int rdma_wait_all_but(struct ibv_qp *qp, int count) {
  struct rdma_order_qp *record = rdma_order_record(qp);
  uint64_t out = count < 0 ? 0 : (uint64_t)count, last, needed;
  int error = 0;
  while (__atomic_exchange_n(&record->in_call, 1, __ATOMIC_ACQUIRE))
    sched_yield();
  if (record->qp_num != qp->qp_num)
    rdma_order_forget_marks(record);
  record->qp_num = qp->qp_num;
  if (!record->calls)
    rdma_order_begin_watch(qp->context);
  if (!record->marks)
    record->marks = rdma_order_new_marks();
  needed = ++record->calls > out ? record->calls - out : 0;
  last = record->marked[0] > record->marked[1] ? record->marked[0] : record->marked[1];
  if (record->calls - last > out / 2)
    error = rdma_order_mark(qp, record);
  while (!error && record->done < needed)
    error = rdma_order_await_mark(qp, record);
  __atomic_store_n(&record->in_call, 0, __ATOMIC_RELEASE);
  return error;
}

/* Eight bytes of memory in the protection domain, for results that nobody reads. Null with errno set. */
static inline struct rdma_order_scratch *rdma_order_scratch_of(struct ibv_pd *pd) {
  struct rdma_order_scratch *s;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (s = rdma_order_scratches; s && s->pd != pd; s = s->next)
    ;
  if (!s) {
    s = (struct rdma_order_scratch *)calloc(1, sizeof *s);
    if (!s || !(s->memory = calloc(2, 4096)))
      abort();
    s->pd = pd;
    s->page = (uint64_t *)(((uintptr_t)s->memory + 4095) / 4096 * 4096);
    s->mr = ibv_reg_mr(pd, s->page, 4096, (int)IBV_ACCESS_LOCAL_WRITE);
    if (s->mr) {
      s->next = rdma_order_scratches;
      rdma_order_scratches = s;
    } else {
      free(s->memory);
      free(s);
      s = NULL;
    }
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return s;
}

/* A READ of what was written last on the queue pair; of nothing, where nothing was (sge->length is 0). */
static inline int rdma_order_read_back(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_sge *sge) {
  struct rdma_order_qp *record = rdma_order_find(qp);
  struct rdma_order_scratch *scratch;
  memset(wr, 0, sizeof *wr);
  memset(sge, 0, sizeof *sge);
  if (record) {
    rdma_order_hold(record);
    wr->wr.rdma.remote_addr = record->remote_addr;
    wr->wr.rdma.rkey = record->rkey;
    sge->length = rdma_order_is_noted(record, qp) ? record->length : 0;
    rdma_order_release(record);
  }
  if (!sge->length)
    return 0;
  scratch = rdma_order_scratch_of(qp->pd);
  if (!scratch)
    return errno;
  sge->addr = (uintptr_t)scratch->page;
  sge->lkey = scratch->mr->lkey;
  wr->opcode = IBV_WR_RDMA_READ;
  wr->sg_list = sge;
  wr->num_sge = 1;
  return 0;
}

RDMA_ORDER_NAMED int rdma_flush(struct ibv_qp *qp) {
  struct ibv_send_wr wr;
  struct ibv_sge sge;
  int error = rdma_order_read_back(qp, &wr, &sge);
  if (error)
    return rdma_order_fail("rdma_flush", qp, error, strerror(error));
  return sge.length ? rdma_order_run("rdma_flush", qp, &wr) : 0;
}

/* -- several queue pairs at once ------------------------------------------------------------------------ */

/* What one call has under way: a few at a time, and no more than there are waiters for, so that no call waits
 * for a waiter while it has one. */
struct rdma_order_several {
  const char *call;
  int count, error;
  struct rdma_order_sent sent[8];
};

static inline void rdma_order_note(struct rdma_order_several *s, int error) {
  s->error = s->error ? s->error : error;
}

static inline void rdma_order_await_several(struct rdma_order_several *s) {
  int i;
  for (i = 0; i < s->count; ++i)
    rdma_order_note(s, rdma_order_await(s->call, &s->sent[i]));
  s->count = 0;
}

static inline void rdma_order_send_another(struct rdma_order_several *s, struct ibv_qp *qp,
                                           struct ibv_send_wr *wr) {
  if (s->count == 8 || (s->count && !rdma_order_send(&s->sent[s->count], qp, wr, 1)))
    rdma_order_await_several(s);
  else if (s->count) {
    ++s->count;
    return;
  }
  rdma_order_send(&s->sent[s->count++], qp, wr, 0);
}

RDMA_ORDER_NAMED int rdma_wait_all(int count, ...) {
  struct rdma_order_several s;
  struct ibv_send_wr wr;
  va_list pairs;
  memset(&s, 0, sizeof s);
  s.call = "rdma_wait_all";
  va_start(pairs, count);
  while (count-- > 0) {
    struct ibv_qp *qp = va_arg(pairs, struct ibv_qp *);
    rdma_order_empty(qp, &wr);
    rdma_order_send_another(&s, qp, &wr);
  }
  va_end(pairs);
  rdma_order_await_several(&s);
  return s.error;
}

RDMA_ORDER_NAMED int rdma_flush_all(int count, ...) {
  struct rdma_order_several s;
  struct ibv_send_wr wr;
  struct ibv_sge sge;
  va_list pairs;
  memset(&s, 0, sizeof s);
  s.call = "rdma_flush_all";
  va_start(pairs, count);
  while (count-- > 0) {
    struct ibv_qp *qp = va_arg(pairs, struct ibv_qp *);
    int error = rdma_order_read_back(qp, &wr, &sge);
    if (error)
      rdma_order_note(&s, rdma_order_fail(s.call, qp, error, strerror(error)));
    else if (sge.length)
      rdma_order_send_another(&s, qp, &wr);
  }
  va_end(pairs);
  rdma_order_await_several(&s);
  return s.error;
}

/* -- objects that go away ------------------------------------------------------------------------------- */

RDMA_ORDER_NAMED int rdma_order_destroy_qp(struct ibv_qp *qp) {
  struct rdma_order_qp *record = rdma_order_find(qp);
  if (record && record->marks) {
    rdma_order_settle(qp);
    rdma_order_forget_marks(record);
  }
  /* Before its address can belong to another one, which then has this record. */
  if (record) {
    rdma_order_hold(record);
    record->length = 0;
    record->has_written = record->has_read = 0;
    rdma_order_release(record);
  }
  return ibv_destroy_qp(qp);
}

RDMA_ORDER_NAMED int rdma_order_destroy_cq(struct ibv_cq *cq) {
  int error = ibv_destroy_cq(cq);
  if (!error && __atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&rdma_order_state.lock);
    while (rdma_order_hand_out(cq, 16, NULL))
      ;
    rdma_order_drop_marks(cq);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  return error;
}

RDMA_ORDER_NAMED int rdma_order_dealloc_pd(struct ibv_pd *pd) {
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
    free(found->memory);
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
#define ibv_wr_rdma_read rdma_order_wr_rdma_read
#define ibv_wr_rdma_write_imm rdma_order_wr_rdma_write_imm
#define ibv_wr_atomic_cmp_swp rdma_order_wr_atomic_cmp_swp
#define ibv_wr_atomic_fetch_add rdma_order_wr_atomic_fetch_add
#define ibv_destroy_qp rdma_order_destroy_qp
#define ibv_destroy_cq rdma_order_destroy_cq
#define ibv_dealloc_pd rdma_order_dealloc_pd

#endif

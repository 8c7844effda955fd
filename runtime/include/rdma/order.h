/* Order between RDMA operations: the two calls that rdma-fix inserts. C99 and C++, on any libibverbs.
 *
 *   int rdma_wait(struct ibv_qp *qp)
 *     Returns when every request posted on qp so far has completed, unsignaled ones too: posts an empty
 *     request behind them and waits for its completion. Their sources may be changed and their results read
 *     then. A WRITE that has completed may still be on its way into remote memory.
 *
 *   int rdma_flush(struct ibv_qp *qp)
 *     The same, and everything written on qp is in remote memory: reads up to eight bytes back from the memory
 *     that the program wrote last on qp. Does nothing when the program has written nothing on qp. The remote
 *     region and queue pair must allow IBV_ACCESS_REMOTE_READ, and max_rd_atomic of qp must not be 0.
 *
 * Both return 0, or an error number after calling rdma_order_on_error. That prints one line and ends the
 * program by default: the code behind an order that failed must not run. A program that wants to go on sets
 * rdma_order_on_error to a function of its own that returns.
 *
 * Include it behind <infiniband/verbs.h> in every source that posts or polls on the same queues. It redirects
 * ibv_post_send, ibv_poll_cq, ibv_wr_*, ibv_destroy_qp, ibv_destroy_cq and ibv_dealloc_pd to functions below
 * that call them, for two reasons. They note what was written last. And a completion of the program that turns
 * up while one of the two calls waits is kept, and handed to the program's own later polls in order: none is
 * lost, none is seen twice, and polls never see the completions of these calls. A program that sleeps in
 * ibv_get_cq_event may be woken once for nothing, and finds kept completions as long as it polls between
 * ibv_req_notify_cq and going to sleep, as ibv_req_notify_cq(3) asks. Not seen: completions taken with
 * ibv_start_poll, and requests posted by libraries that were built without this header.
 *
 * Leave room for one request in the send queue and one completion in the queue; a full send queue is waited
 * for as long as completions come, and reported (ENOMEM) after five seconds without any.
 */
#ifndef RDMA_ORDER_H
#define RDMA_ORDER_H

#include <infiniband/verbs.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a queue pair. */
struct rdma_order_qp {
  struct rdma_order_qp *next;
  struct ibv_qp *qp;
  uint64_t remote_addr; /* written last */
  uint32_t rkey;
  uint32_t length; /* at most eight bytes of it */
  int has_written, has_read;
};

/* One call that waits. Its address is the identifier of its request, which no request of the program has. */
struct rdma_order_waiter {
  struct rdma_order_waiter *next;
  int is_done;
  enum ibv_wc_status status;
};

/* A completion of the program, kept for its next poll. */
struct rdma_order_kept {
  struct rdma_order_kept *next;
  struct ibv_cq *cq;
  struct ibv_wc wc;
};

/* Where rdma_flush reads to, once per protection domain. */
struct rdma_order_scratch {
  struct rdma_order_scratch *next;
  struct ibv_pd *pd;
  struct ibv_mr *mr;
  uint64_t *page;
};

struct rdma_order_state {
  pthread_mutex_t lock;      /* of all below */
  pthread_mutex_t polls[64]; /* of the completion queues: one poll of a queue at a time, taken before lock */
  int busy;                  /* calls that wait, and completions kept: while 0, polls go straight through */
  unsigned empty_polls;
  struct rdma_order_qp *qps[64];
  struct rdma_order_waiter *waiters;
  struct rdma_order_kept *kept, **kept_end;
  struct rdma_order_scratch *scratch;
};

/* One for all sources of a program. */
__attribute__((weak)) struct rdma_order_state rdma_order_state = {
    PTHREAD_MUTEX_INITIALIZER, {PTHREAD_MUTEX_INITIALIZER}, 0, 0, {0}, 0, 0, 0, 0};

/* Called with the name of the call when it fails. Null: print one line and abort. */
__attribute__((weak)) void (*rdma_order_on_error)(const char *call, struct ibv_qp *qp, int error);

/* -- what was written last ------------------------------------------------------------------------------ */

static inline struct rdma_order_qp **rdma_order_slot(struct ibv_qp *qp) {
  struct rdma_order_qp **at = &rdma_order_state.qps[(uintptr_t)qp / 64 % 64];
  while (*at && (*at)->qp != qp)
    at = &(*at)->next;
  return at;
}

static inline struct rdma_order_qp *rdma_order_record(struct ibv_qp *qp) {
  struct rdma_order_qp **at = rdma_order_slot(qp);
  if (!*at) {
    *at = (struct rdma_order_qp *)calloc(1, sizeof **at);
    if (!*at)
      abort();
    (*at)->qp = qp;
  }
  return *at;
}

static inline void rdma_order_note_write(struct ibv_qp *qp, uint64_t remote_addr, uint32_t rkey, uint64_t length) {
  struct rdma_order_qp *record;
  if (!length)
    return;
  pthread_mutex_lock(&rdma_order_state.lock);
  record = rdma_order_record(qp);
  record->remote_addr = remote_addr;
  record->rkey = rkey;
  record->length = length < 8 ? (uint32_t)length : 8;
  record->has_written = 1;
  pthread_mutex_unlock(&rdma_order_state.lock);
}

static inline void rdma_order_note_read(struct ibv_qp *qp) {
  pthread_mutex_lock(&rdma_order_state.lock);
  rdma_order_record(qp)->has_read = 1;
  pthread_mutex_unlock(&rdma_order_state.lock);
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

static inline int rdma_order_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr) {
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

/* -- completions ---------------------------------------------------------------------------------------- */

/* Takes the completion of a waiting call out of the program's way. The lock is held. */
static inline int rdma_order_is_ours(const struct ibv_wc *wc) {
  struct rdma_order_waiter *w;
  for (w = rdma_order_state.waiters; w; w = w->next)
    if ((uintptr_t)w == wc->wr_id) {
      w->status = wc->status;
      w->is_done = 1;
      return 1;
    }
  return 0;
}

static inline void rdma_order_keep(struct ibv_cq *cq, const struct ibv_wc *wc) {
  struct rdma_order_kept *kept = (struct rdma_order_kept *)calloc(1, sizeof *kept);
  if (!kept)
    abort();
  kept->cq = cq;
  kept->wc = *wc;
  if (!rdma_order_state.kept)
    rdma_order_state.kept_end = &rdma_order_state.kept;
  *rdma_order_state.kept_end = kept;
  rdma_order_state.kept_end = &kept->next;
  __atomic_add_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
}

/* Hands out up to count kept completions of cq; with wc null drops them. The lock is held. */
static inline int rdma_order_hand_out(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  struct rdma_order_kept **at = &rdma_order_state.kept;
  int done = 0;
  while (*at && done < count) {
    struct rdma_order_kept *kept = *at;
    if (kept->cq != cq) {
      at = &kept->next;
      continue;
    }
    if (wc)
      wc[done] = kept->wc;
    ++done;
    *at = kept->next;
    if (!*at)
      rdma_order_state.kept_end = at;
    free(kept);
    __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  }
  return done;
}

/* Drops ours from wc[0..count). The lock is held. */
static inline int rdma_order_without_ours(struct ibv_wc *wc, int count) {
  int i, left = 0;
  for (i = 0; i < count; ++i)
    if (!rdma_order_is_ours(&wc[i])) {
      if (left != i)
        wc[left] = wc[i];
      ++left;
    }
  return left;
}

/* Polls of one queue are taken one after the other, so that kept completions and new ones stay in order. */
static inline pthread_mutex_t *rdma_order_poll_lock(struct ibv_cq *cq) {
  return &rdma_order_state.polls[(uintptr_t)cq / 64 % 64];
}

static inline int rdma_order_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  int done = 0, more;
  pthread_mutex_lock(rdma_order_poll_lock(cq));
  if (__atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&rdma_order_state.lock);
    done = rdma_order_hand_out(cq, count, wc);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  more = done < count ? ibv_poll_cq(cq, count - done, wc + done) : 0;
  /* Also those of a wait that began meanwhile. */
  if (more > 0 && __atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&rdma_order_state.lock);
    more = rdma_order_without_ours(wc + done, more);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  pthread_mutex_unlock(rdma_order_poll_lock(cq));
  return more < 0 && !done ? more : more < 0 ? done : done + more;
}

/* Polls once for a waiting call, keeping what is the program's. */
static inline int rdma_order_collect(struct ibv_cq *cq) {
  struct ibv_wc wc[16];
  int i, count;
  pthread_mutex_lock(rdma_order_poll_lock(cq));
  count = ibv_poll_cq(cq, 16, wc);
  if (count > 0) {
    pthread_mutex_lock(&rdma_order_state.lock);
    for (i = 0; i < count; ++i)
      if (!rdma_order_is_ours(&wc[i]))
        rdma_order_keep(cq, &wc[i]);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  pthread_mutex_unlock(rdma_order_poll_lock(cq));
  if (!count && __atomic_add_fetch(&rdma_order_state.empty_polls, 1, __ATOMIC_RELAXED) % 64 == 0)
    sched_yield();
  return count;
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

static inline void rdma_order_begin(struct rdma_order_waiter *w) {
  pthread_mutex_lock(&rdma_order_state.lock);
  w->next = rdma_order_state.waiters;
  rdma_order_state.waiters = w;
  __atomic_add_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&rdma_order_state.lock);
}

static inline void rdma_order_end(struct rdma_order_waiter *w) {
  struct rdma_order_waiter **at;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (at = &rdma_order_state.waiters; *at != w;)
    at = &(*at)->next;
  *at = w->next;
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

/* Posts the request and waits for its completion. */
static inline int rdma_order_run(const char *call, struct ibv_qp *qp, struct ibv_send_wr *wr) {
  struct rdma_order_waiter w;
  int error;
  memset(&w, 0, sizeof w);
  wr->wr_id = (uintptr_t)&w;
  wr->send_flags = IBV_SEND_SIGNALED;
  rdma_order_begin(&w);
  error = rdma_order_post(qp, wr);
  while (!error && !rdma_order_is_done(&w))
    if (rdma_order_collect(qp->send_cq) < 0)
      error = EIO;
  rdma_order_end(&w);
  if (error)
    return rdma_order_fail(call, qp, error, strerror(error));
  if (w.status != IBV_WC_SUCCESS)
    return rdma_order_fail(call, qp, EIO, ibv_wc_status_str(w.status));
  return 0;
}

static inline int rdma_wait(struct ibv_qp *qp) {
  struct ibv_send_wr wr;
  struct rdma_order_qp *record;
  memset(&wr, 0, sizeof wr);
  pthread_mutex_lock(&rdma_order_state.lock);
  record = *rdma_order_slot(qp);
  /* A kind that the peer allows for certain. */
  wr.opcode = record && record->has_read && !record->has_written ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
  pthread_mutex_unlock(&rdma_order_state.lock);
  return rdma_order_run("rdma_wait", qp, &wr);
}

/* Eight bytes of memory in the protection domain, for results that nobody reads. Null with errno set. */
static inline struct rdma_order_scratch *rdma_order_scratch_of(struct ibv_pd *pd) {
  struct rdma_order_scratch *s;
  void *page = NULL;
  pthread_mutex_lock(&rdma_order_state.lock);
  for (s = rdma_order_state.scratch; s && s->pd != pd; s = s->next)
    ;
  if (!s && !posix_memalign(&page, 4096, 4096)) {
    s = (struct rdma_order_scratch *)calloc(1, sizeof *s);
    if (!s)
      abort();
    s->pd = pd;
    s->page = (uint64_t *)page;
    s->mr = ibv_reg_mr(pd, page, 4096, (int)IBV_ACCESS_LOCAL_WRITE);
    if (s->mr) {
      s->next = rdma_order_state.scratch;
      rdma_order_state.scratch = s;
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
  struct rdma_order_qp *record;
  struct rdma_order_scratch *scratch;
  memset(&wr, 0, sizeof wr);
  memset(&sge, 0, sizeof sge);
  pthread_mutex_lock(&rdma_order_state.lock);
  record = *rdma_order_slot(qp);
  if (record && record->has_written) {
    wr.wr.rdma.remote_addr = record->remote_addr;
    wr.wr.rdma.rkey = record->rkey;
    sge.length = record->length;
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
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
  int error = ibv_destroy_qp(qp);
  if (!error) {
    struct rdma_order_qp **at, *record;
    pthread_mutex_lock(&rdma_order_state.lock);
    at = rdma_order_slot(qp);
    record = *at;
    if (record)
      *at = record->next;
    pthread_mutex_unlock(&rdma_order_state.lock);
    free(record);
  }
  return error;
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
  for (at = &rdma_order_state.scratch; *at && (*at)->pd != pd;)
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
#define ibv_poll_cq rdma_order_poll_cq
#define ibv_wr_rdma_write rdma_order_wr_rdma_write
#define ibv_wr_rdma_write_imm rdma_order_wr_rdma_write_imm
#define ibv_wr_atomic_cmp_swp rdma_order_wr_atomic_cmp_swp
#define ibv_wr_atomic_fetch_add rdma_order_wr_atomic_fetch_add
#define ibv_destroy_qp rdma_order_destroy_qp
#define ibv_destroy_cq rdma_order_destroy_cq
#define ibv_dealloc_pd rdma_order_dealloc_pd

#endif

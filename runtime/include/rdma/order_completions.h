/* The part of order.h that keeps the program's completions for its own polls. Include order.h. C99 and C++.
 *
 * A call of order.h that waits polls the queue like anybody else. What it finds for itself says that it is
 * done; what it finds for the program is kept in order, and the next poll of the program gets it first. For
 * the polls to look there, the poll function of the context is replaced: when the program creates a
 * completion queue behind this header, or else before the first wait.
 */
#ifndef RDMA_ORDER_COMPLETIONS_H
#define RDMA_ORDER_COMPLETIONS_H

#pragma GCC system_header

#include <infiniband/verbs.h>

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of each for all sources of a program, in all of its libraries: also in those that hide what they have.
 */
#define RDMA_ORDER_SHARED __attribute__((weak, visibility("default")))

/* What the code of a program names, if only because order.h renames what it names: with external linkage, as
 * a static function may be named in no inline function of C, and in no template argument of a header. */
#ifdef __cplusplus
#define RDMA_ORDER_NAMED inline
#else
#define RDMA_ORDER_NAMED __attribute__((weak))
#endif

/* One call that waits, or one request of rdma_wait_all_but (is_mark). */
struct rdma_order_waiter {
  uint64_t wr_id; /* of its request while that is out, or 0 */
  uint32_t number, qp_num;
  struct ibv_cq *cq; /* of a mark */
  int is_used, is_done, is_mark;
  enum ibv_wc_status status;
};

/* Places for such requests: two for each queue pair that has needed them, never freed. */
struct rdma_order_marks {
  struct rdma_order_marks *next;
  uint32_t first; /* the number of the first of them */
  int used;
  struct rdma_order_waiter at[128];
};

/* A context whose poll function was replaced. */
struct rdma_order_context {
  struct rdma_order_context *next;
  struct ibv_context *context;
  struct ibv_device *device;
  int (*poll_cq)(struct ibv_cq *cq, int count, struct ibv_wc *wc);
};

/* A completion of the program, kept for its next poll. */
struct rdma_order_kept {
  struct rdma_order_kept *next;
  struct ibv_cq *cq;
  struct ibv_wc wc;
};

/* One poll of a queue at a time. While a call waits, polls come in one after the other through the gate, so
 * that a thread that polls without a pause cannot keep the others out. Taken in this order. */
struct rdma_order_turn {
  pthread_mutex_t gate, poll;
};

struct rdma_order_state {
  pthread_mutex_t lock;             /* of all below but busy, and of the lists in order.h; taken last */
  struct rdma_order_turn turns[64]; /* of the completion queues */
  int busy; /* calls that wait, marks that are out, and completions kept: while 0, polls go straight through
             */
  unsigned empty_polls, round;
  struct rdma_order_context *contexts;
  struct rdma_order_waiter waiters[64];
  struct rdma_order_kept *kept, **kept_end;
  struct rdma_order_marks *marks;
};

/* All of it is zero at first, as PTHREAD_MUTEX_INITIALIZER is. */
extern struct rdma_order_state rdma_order_state;
RDMA_ORDER_SHARED struct rdma_order_state rdma_order_state;

/* In front of every identifier of these calls. */
enum { rdma_order_tag = 0xa96d };

/* The number of a waiter; those of marks come behind the others. */
static inline struct rdma_order_waiter *rdma_order_numbered(uint32_t number) {
  struct rdma_order_marks *marks = rdma_order_state.marks;
  if (number < 64)
    return &rdma_order_state.waiters[number];
  while (marks && number < marks->first)
    marks = marks->next;
  return marks && number - marks->first < 128 ? &marks->at[number - marks->first] : NULL;
}

/* An identifier for the request of a waiter: a new one each time, as one that was used before may stand in a
 * request of the program that never sets its own. The lock is held. */
static inline void rdma_order_identify(struct rdma_order_waiter *w, uint32_t qp_num) {
  uint64_t round = ++rdma_order_state.round & 0xffffff;
  w->wr_id = (uint64_t)rdma_order_tag << 48 | round << 24 | w->number;
  w->qp_num = qp_num;
  w->is_done = 0;
  __atomic_add_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
}

/* Takes the completion of a waiting call out of the program's way. The lock is held. */
static inline int rdma_order_is_ours(const struct ibv_wc *wc) {
  struct rdma_order_waiter *w =
      wc->wr_id >> 48 == rdma_order_tag ? rdma_order_numbered((uint32_t)(wc->wr_id & 0xffffff)) : NULL;
  if (!w || w->wr_id != wc->wr_id || w->qp_num != wc->qp_num)
    return 0;
  w->wr_id = 0;
  w->status = wc->status;
  w->is_done = 1;
  if (w->is_mark)
    __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
  return 1;
}

/* Two places in a row. */
static inline struct rdma_order_waiter *rdma_order_new_marks(void) {
  struct rdma_order_marks *marks;
  struct rdma_order_waiter *found;
  int i;
  pthread_mutex_lock(&rdma_order_state.lock);
  marks = rdma_order_state.marks;
  if (!marks || marks->used == 128) {
    uint32_t first = marks ? marks->first + 128 : 64;
    if (first > 0xffff00 || !(marks = (struct rdma_order_marks *)calloc(1, sizeof *marks)))
      abort();
    marks->next = rdma_order_state.marks;
    marks->first = first;
    rdma_order_state.marks = marks;
  }
  found = &marks->at[marks->used];
  for (i = 0; i < 2; ++i) {
    found[i].number = marks->first + (uint32_t)marks->used++;
    found[i].is_mark = found[i].is_done = 1;
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return found;
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

/* The queue is gone: what was out there, of queue pairs that ended before, never completes. The lock is held.
 */
static inline void rdma_order_drop_marks(struct ibv_cq *cq) {
  struct rdma_order_marks *marks = rdma_order_state.marks;
  int i;
  for (; marks; marks = marks->next)
    for (i = 0; i < marks->used; ++i)
      if (!marks->at[i].is_done && marks->at[i].cq == cq) {
        marks->at[i].wr_id = 0;
        marks->at[i].is_done = 1;
        __atomic_sub_fetch(&rdma_order_state.busy, 1, __ATOMIC_SEQ_CST);
      }
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

static inline struct rdma_order_turn *rdma_order_turn_of(struct ibv_cq *cq) {
  return &rdma_order_state.turns[(uintptr_t)cq / 64 % 64];
}
/* Polls of one queue are taken one after the other, so that kept completions and new ones stay in order. */
static inline void rdma_order_begin_poll(struct ibv_cq *cq) {
  struct rdma_order_turn *turn = rdma_order_turn_of(cq);
  int in_turn = __atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST) != 0;
  if (in_turn)
    pthread_mutex_lock(&turn->gate);
  pthread_mutex_lock(&turn->poll);
  if (in_turn)
    pthread_mutex_unlock(&turn->gate);
}
static inline void rdma_order_end_poll(struct ibv_cq *cq) {
  pthread_mutex_unlock(&rdma_order_turn_of(cq)->poll);
}

/* The poll function that the device had. */
static inline struct rdma_order_context *rdma_order_context_of(struct ibv_context *context) {
  struct rdma_order_context *at = __atomic_load_n(&rdma_order_state.contexts, __ATOMIC_ACQUIRE);
  while (at && at->context != context)
    at = at->next;
  return at;
}

static inline int rdma_order_device_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  struct rdma_order_context *of = rdma_order_context_of(cq->context);
  return of ? of->poll_cq(cq, count, wc) : -1;
}

/* What polls of a context go to: hands out what was kept, then what more there is, without ours. */
RDMA_ORDER_SHARED int rdma_order_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
RDMA_ORDER_SHARED int rdma_order_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  int done = 0, more, ours;
  rdma_order_begin_poll(cq);
  if (__atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&rdma_order_state.lock);
    done = rdma_order_hand_out(cq, count, wc);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  /* Again in place of ours: a program that finds fewer than it asked for may sleep until the next one comes.
   */
  do {
    ours = 0;
    more = done < count ? rdma_order_device_poll(cq, count - done, wc + done) : 0;
    /* Also those of a wait that began meanwhile. */
    if (more > 0 && __atomic_load_n(&rdma_order_state.busy, __ATOMIC_SEQ_CST)) {
      int all = more;
      pthread_mutex_lock(&rdma_order_state.lock);
      more = rdma_order_without_ours(wc + done, all);
      pthread_mutex_unlock(&rdma_order_state.lock);
      ours = all - more;
    }
    done += more > 0 ? more : 0;
  } while (ours > 0);
  rdma_order_end_poll(cq);
  return more < 0 && !done ? more : done;
}

/* Is the poll function in its place, or below that of another copy of this header, in a library that shares
 * nothing with us? Not where the device's own is there: then the context is a new one at an old address. */
static inline int rdma_order_is_watched(struct ibv_context *context, struct rdma_order_context *known) {
  return context->ops.poll_cq == &rdma_order_poll_cq ||
         (known && known->device == context->device && known->poll_cq != context->ops.poll_cq);
}

/* Replaces the poll function of the context; says whether it was there before. */
static inline int rdma_order_watch(struct ibv_context *context) {
  struct rdma_order_context *record, *known;
  int (*found)(struct ibv_cq *, int, struct ibv_wc *);
  int was;
  pthread_mutex_lock(&rdma_order_state.lock);
  known = record = rdma_order_context_of(context);
  was = rdma_order_is_watched(context, known);
  if (!was) {
    if (!record && !(record = (struct rdma_order_context *)calloc(1, sizeof *record)))
      abort();
    record->device = context->device;
    if (!known) {
      record->context = context;
      record->next = rdma_order_state.contexts;
      __atomic_store_n(&rdma_order_state.contexts, record, __ATOMIC_RELEASE);
    }
    /* Another copy may replace it at the same time: then ours is above that one. */
    found = __atomic_load_n(&context->ops.poll_cq, __ATOMIC_SEQ_CST);
    do
      record->poll_cq = found;
    while (!__atomic_compare_exchange_n(&context->ops.poll_cq, &found, &rdma_order_poll_cq, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  }
  pthread_mutex_unlock(&rdma_order_state.lock);
  return was;
}

RDMA_ORDER_NAMED struct ibv_cq *rdma_order_create_cq(struct ibv_context *context, int cqe, void *cq_context,
                                                     struct ibv_comp_channel *channel, int vector);
RDMA_ORDER_NAMED struct ibv_cq *rdma_order_create_cq(struct ibv_context *context, int cqe, void *cq_context,
                                                     struct ibv_comp_channel *channel, int vector) {
  struct ibv_cq *cq = NULL;
  rdma_order_watch(context);
  /* With room for what is ours, if there can be; a number that no queue can have stays one. */
  if (cqe > 0 && cqe <= INT_MAX - 16)
    cq = ibv_create_cq(context, cqe + 16, cq_context, channel, vector);
  return cq ? cq : ibv_create_cq(context, cqe, cq_context, channel, vector);
}

/* Polls once for a waiting call, keeping what is the program's. */
static inline int rdma_order_collect(struct ibv_cq *cq) {
  struct ibv_wc wc[16];
  int i, count;
  rdma_order_begin_poll(cq);
  count = rdma_order_device_poll(cq, 16, wc);
  if (count > 0) {
    pthread_mutex_lock(&rdma_order_state.lock);
    for (i = 0; i < count; ++i)
      if (!rdma_order_is_ours(&wc[i]))
        rdma_order_keep(cq, &wc[i]);
    pthread_mutex_unlock(&rdma_order_state.lock);
  }
  rdma_order_end_poll(cq);
  if (!count && __atomic_add_fetch(&rdma_order_state.empty_polls, 1, __ATOMIC_RELAXED) % 64 == 0)
    sched_yield();
  return count;
}

/* How long a call has waited without completions, in seconds and in polls. */
struct rdma_order_patience {
  time_t since;
  int polls;
};

/* Another poll has found so many; whether to go on, for so many seconds without any. Who was not given the
 * processor meanwhile has not waited, whatever the clock says. */
static inline int rdma_order_goes_on(struct rdma_order_patience *p, int count, int seconds) {
  if (count) {
    p->since = time(NULL);
    p->polls = 0;
    return 1;
  }
  return ++p->polls < 10000 || time(NULL) - p->since <= seconds;
}

#ifdef __cplusplus
}
#endif

#endif

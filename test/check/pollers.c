// As race.c, for programs in which threads share a completion queue, or one of them polls for the others.
#include "Inputs/mistakes.h"

#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 10, RECEIVES = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int taken[2], stop;

static void start(pthread_t *thread, void *(*run)(void *), void *argument) {
  if (pthread_create(thread, NULL, run, argument))
    die("thread");
}

static void *send_rounds(void *of) { // whoever polls counts for both
  struct ibv_qp *own = of;
  int who = own == second, seen = 0;
  for (int round = 1; round <= ROUNDS; ++round) {
    memory.value[who] = (uint64_t)round;
    post(own, IBV_WR_RDMA_WRITE, &memory.value[who], 0);
    for (int enough = well || round == ROUNDS ? round : round - 1; seen < enough;) {
      struct ibv_wc wc;
      pthread_mutex_lock(&mutex);
      while (ibv_poll_cq(completions, 1, &wc) == 1)
        ++taken[wc.qp_num == second->qp_num];
      seen = taken[who];
      pthread_mutex_unlock(&mutex);
    }
  }
  return NULL;
}

static void shared(void) { // one completion queue of two threads, one of which waits for the request before
  pthread_t other;
  start(&other, send_rounds, second);
  send_rounds(pair);
  pthread_join(other, NULL);
}

static void *poll_for_others(void *unused) {
  for (int ended = 0; !ended;) {
    struct ibv_wc wc;
    int count = ibv_poll_cq(completions, 1, &wc);
    pthread_mutex_lock(&mutex);
    taken[0] += count;
    pthread_cond_broadcast(&more);
    ended = stop;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void wait_for(int count) {
  pthread_mutex_lock(&mutex);
  while (taken[0] < count)
    pthread_cond_wait(&more, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) { // for a count that the polling thread keeps, and one less than there should be
  pthread_t poller;
  start(&poller, poll_for_others, NULL);
  for (int round = 1; round <= ROUNDS; ++round) {
    memory.source = (uint64_t)round;
    post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
    wait_for(well ? round : round - 1);
  }
  wait_for(ROUNDS);
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(poller, NULL);
}

static int pipe_ends[2];

static void *tell_by_pipe(void *unused) {
  for (int round = 0; round < ROUNDS; ++round) {
    await();
    if (write(pipe_ends[1], "", 1) != 1)
      die("write");
  }
  return unused;
}

static void piped(void) { // the polling thread tells by a pipe, to which the last round does not listen
  pthread_t poller;
  char byte;
  if (pipe(pipe_ends))
    die("pipe");
  start(&poller, tell_by_pipe, NULL);
  for (int round = 1; round <= ROUNDS; ++round) {
    post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
    if ((well || round < ROUNDS) && read(pipe_ends[0], &byte, 1) != 1)
      die("read");
    memory.source = (uint64_t)round;
  }
  pthread_join(poller, NULL);
}

static uint64_t received[RECEIVES + 1];

static void *consume(void *from) {
  for (int left = RECEIVES / 2; left > 0;) {
    struct ibv_wc wc;
    if (ibv_poll_cq(from, 1, &wc) != 1)
      continue;
    received[wc.wr_id + (well ? 0 : 1)] += 1;
    --left;
  }
  return NULL;
}

static void
consumers(void) { // of one shared receive queue, each with a completion queue, and the next buffer
  struct ibv_srq_init_attr init = {.attr = {RECEIVES, 1, 0}};
  struct ibv_srq *srq = ibv_create_srq(domain, &init);
  struct ibv_mr *mr = ibv_reg_mr(domain, received, sizeof received, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_cq *own[2], *before = arrivals;
  struct ibv_qp *by[2];
  pthread_t thread[2];
  for (uint64_t i = 0; i < RECEIVES; ++i) {
    struct ibv_sge piece = {(uintptr_t)&received[i], 8, mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &piece, .num_sge = 1}, *bad;
    if (ibv_post_srq_recv(srq, &wr, &bad))
      die("receive");
  }
  for (int i = 0; i < 2; ++i) {
    arrivals = own[i] = ibv_create_cq(context, RECEIVES, NULL, NULL, 0);
    by[i] = create_pair(srq);
    start(&thread[i], consume, own[i]);
  }
  arrivals = before;
  for (int i = 0; i < RECEIVES; ++i) {
    post(by[i % 2], IBV_WR_SEND, &memory.source, IBV_SEND_INLINE);
    await();
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(thread[i], NULL);
    ibv_destroy_qp(by[i]);
    ibv_destroy_cq(own[i]);
  }
  ibv_destroy_srq(srq);
  ibv_dereg_mr(mr);
}

int main(int argc, char **argv) {
  static const struct mistake all[] = {
      {"shared", shared}, {"waits", waits}, {"piped", piped}, {"consumers", consumers}};
  return run_named(argc, argv, all, sizeof all / sizeof *all);
}

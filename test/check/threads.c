// As race.c, for mistakes of two threads.
#include "Inputs/mistakes.h"

#include <pthread.h>
#include <unistd.h>

static void *refill(void *unused) {
  memory.source = 2;
  return unused;
}

static void thread(void) { // another thread changes it
  pthread_t other;
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  await_if(well);
  if (pthread_create(&other, NULL, refill, NULL) || pthread_join(other, NULL))
    die("thread");
  await_if(!well);
}

static void *receive(void *unused) {
  await_in(arrivals);
  memory.there_too = memory.other + memory.there;
  return unused;
}

static void handed(void) { // to another thread, by a message: what is done behind it is not before it
  pthread_t other;
  post_receive(&memory.result);
  if (pthread_create(&other, NULL, receive, NULL))
    die("thread");
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  if (well)
    memory.other = 2;
  post(pair, IBV_WR_SEND, &memory.copy, IBV_SEND_INLINE);
  if (!well)
    memory.other = 2;
  await(), await();
  pthread_join(other, NULL);
}

static void *send_and_go(void *by) {
  post(by, IBV_WR_RDMA_WRITE, &memory.source, 0);
  post(by, IBV_WR_SEND, &memory.other, 0);
  await(), await();
  if (ibv_destroy_qp(by))
    die("destroy");
  return NULL;
}

static void *send_and_begin_anew(void *by) {
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_RESET};
  post(by, IBV_WR_RDMA_WRITE, &memory.source, 0);
  post(by, IBV_WR_SEND, &memory.other, 0);
  await(), await();
  if (ibv_modify_qp(by, &a, IBV_QP_STATE))
    die("RESET");
  connect_to_itself(by);
  post(by, IBV_WR_SEND, &memory.other, 0); // not taken
  return NULL;
}

/// The sender has ended the connection before its message is taken, which says that the WRITE before it is
/// there.
static void take_from(void *(*sending)(void *), struct ibv_qp *by) {
  struct ibv_qp *first = pair;
  pthread_t other;
  pair = create_unconnected(NULL);
  connect_to(by, pair->qp_num);
  connect_to(pair, by->qp_num);
  post_receive(&memory.result);
  if (pthread_create(&other, NULL, sending, by))
    die("thread");
  usleep(100000); // by now it has, and nobody has said so
  if (well)
    await_in(arrivals);
  memory.copy = memory.there_too;
  if (!well)
    await_in(arrivals);
  pthread_join(other, NULL);
  ibv_destroy_qp(pair);
  pair = first;
}

static void sender(void) { // is gone
  take_from(send_and_go, create_unconnected(NULL));
}

static void anew(void) { // has been reset, and sends something else
  struct ibv_qp *by = create_unconnected(NULL);
  take_from(send_and_begin_anew, by);
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_RESET};
  if (ibv_modify_qp(by, &a, IBV_QP_STATE) || ibv_destroy_qp(by))
    die("destroy");
}

static void *look(void *file) {
  char byte;
  if (read(*(int *)file, &byte, 1) != 1)
    die("read");
  memory.copy = memory.there;
  return NULL;
}

static void told(void) { // another thread is told of a WRITE that was polled
  int ends[2];
  pthread_t other;
  if (pipe(ends) || pthread_create(&other, NULL, look, ends))
    die("thread");
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  await();
  if (well) {
    post(pair, IBV_WR_RDMA_READ, &memory.result, 0);
    await();
  }
  if (write(ends[1], "", 1) != 1 || pthread_join(other, NULL))
    die("tell");
}

static void *acquire(void *unused) {
  struct ibv_qp *own = create_pair(NULL);
  struct ibv_sge turn = piece_of(&memory.result), both = {(uintptr_t)memory.seen, 16, region->lkey};
  do {
    post_to(own, IBV_WR_RDMA_READ, &memory.held, &turn, 1, IBV_SEND_SIGNALED);
    await_in(own->send_cq);
  } while (memory.result);
  post_to(own, IBV_WR_RDMA_READ, memory.shared, &both, 1, IBV_SEND_SIGNALED);
  await_in(own->send_cq);
  if (ibv_destroy_qp(own))
    die("destroy");
  return unused;
}

static void lock(void) { // given back by another queue pair than that of the data
  struct ibv_sge both = {(uintptr_t)memory.value, 16, region->lkey}, free = piece_of(&memory.source);
  pthread_t other;
  memory.held = 1;
  if (pthread_create(&other, NULL, acquire, NULL))
    die("thread");
  usleep(20000); // the other one is waiting
  post_to(pair, IBV_WR_RDMA_WRITE, memory.shared, &both, 1, 0);
  post_to(well ? pair : second, IBV_WR_RDMA_WRITE, &memory.held, &free, 1, IBV_SEND_INLINE);
  pthread_join(other, NULL);
}

static void *change(void *added) {
  struct ibv_sge piece = piece_of(&memory.copy);
  while (!__atomic_load_n((int *)added, __ATOMIC_RELAXED)) {
  }
  if (well) {
    post_to(second, IBV_WR_ATOMIC_CMP_AND_SWP, &memory.there, &piece, 1, IBV_SEND_SIGNALED);
    await();
  } else {
    __atomic_store_n(&memory.there, 7, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void summand(void) { // set by a processor meanwhile; another atomic waits for the sum
  pthread_t other;
  int added = 0;
  if (pthread_create(&other, NULL, change, &added))
    die("thread");
  post(pair, IBV_WR_ATOMIC_FETCH_AND_ADD, &memory.result, 0);
  await();
  __atomic_store_n(&added, 1, __ATOMIC_RELAXED);
  pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  static const struct mistake all[] = {{"thread", thread},  {"handed", handed}, {"told", told},
                                       {"lock", lock},      {"sender", sender}, {"anew", anew},
                                       {"summand", summand}};
  return run_named(argc, argv, all, sizeof all / sizeof *all);
}

// A program with one queue pair to itself that makes, by its arguments, one mistake or none, and some of them
// many times: race WHAT [TIMES]... Whatever it does, its memory is as it should be in the end: under the
// strong schedule nothing goes wrong.
#include "Inputs/itself.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
  uint64_t source, copy, result, there, page[512], page_there[512];
} memory;

static struct ibv_context *context;
static struct ibv_pd *domain;
static struct ibv_comp_channel *channel;
static struct ibv_cq *completions;
static struct ibv_mr *region;
static struct ibv_qp *pair;

static struct ibv_qp *create_pair(void) {
  struct ibv_qp_init_attr init = {
      .send_cq = completions, .recv_cq = completions, .qp_type = IBV_QPT_RC, .cap = {64, 64, 1, 1, 64}};
  struct ibv_qp *created = ibv_create_qp(domain, &init);
  if (!created)
    die("queue pair");
  connect_to_itself(created);
  return created;
}

static void open_all(int events) {
  struct ibv_device **devices = ibv_get_device_list(NULL);
  context = ibv_open_device(devices[0]);
  domain = ibv_alloc_pd(context);
  channel = events ? ibv_create_comp_channel(context) : NULL;
  completions = ibv_create_cq(context, 64, NULL, channel, 0);
  region = ibv_reg_mr(domain, &memory, sizeof memory, 15);
  if (!region)
    die("open");
  pair = create_pair();
}

__attribute__((noinline)) static void post(enum ibv_wr_opcode opcode, uint64_t *local, unsigned flags) {
  int whole = local == memory.page;
  struct ibv_sge piece = {(uintptr_t)local, whole ? sizeof memory.page : 8, region->lkey};
  struct ibv_send_wr wr = {.opcode = opcode, .sg_list = &piece, .num_sge = 1, .send_flags = flags}, *bad;
  wr.wr.rdma.remote_addr = (uintptr_t)(whole ? memory.page_there : &memory.there);
  wr.wr.rdma.rkey = region->rkey;
  if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    wr.wr.atomic.compare_add = 1;
    wr.wr.atomic.rkey = region->rkey;
  }
  if (ibv_post_send(pair, &wr, &bad))
    die("post");
}

static void post_receive(uint64_t *local) {
  struct ibv_sge piece = {(uintptr_t)local, 8, region->lkey};
  struct ibv_recv_wr wr = {.sg_list = &piece, .num_sge = 1}, *bad;
  if (ibv_post_recv(pair, &wr, &bad))
    die("receive");
}

/// On a busy machine whoever is waited for may wait for this processor.
static void give_way(void) {
  static __thread unsigned looks;
  if (++looks % 16 == 0)
    sched_yield();
}

static void await(void) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(completions, 1, &wc)) == 0)
    give_way();
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("completion");
}

/// Waits for each request of the other thread, and only then reads what that has written before.
static void *take_over(void *rounds) {
  for (uint64_t i = 1; i <= *(uint64_t *)rounds; ++i) {
    await();
    if (memory.copy != i)
      die("what was handed over");
    __atomic_store_n(&memory.result, i, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void hand_over(uint64_t rounds) {
  pthread_t other;
  if (pthread_create(&other, NULL, take_over, &rounds))
    die("thread");
  for (uint64_t i = 1; i <= rounds; ++i) {
    memory.copy = i;
    post(IBV_WR_RDMA_WRITE, &memory.source, IBV_SEND_SIGNALED);
    while (__atomic_load_n(&memory.result, __ATOMIC_ACQUIRE) != i)
      give_way();
  }
  pthread_join(other, NULL);
}

/// While that is used, another queue pair stands in for the first, with the same completion queue.
static void with_another_pair(void (*use)(void)) {
  struct ibv_qp *first = pair;
  pair = create_pair();
  use();
  ibv_destroy_qp(pair);
  pair = first;
}

static void post_and_forget(void) { post_receive(&memory.copy); }

static void post_and_await(void) {
  post(IBV_WR_RDMA_WRITE, memory.page, IBV_SEND_SIGNALED);
  await();
  memory.source = 2;
  await();
}

static void post_and_await_both(void) {
  post(IBV_WR_RDMA_WRITE, memory.page, IBV_SEND_SIGNALED);
  await(), await();
  memory.source = 2;
}

static int is(const char *wanted, const char *name) { return !strcmp(wanted, name); }

static void run(const char *what) {
  unsigned signaled = IBV_SEND_SIGNALED;
  if (is(what, "refill") ||
      is(what, "refill-polled")) { // a source is changed while the NIC may still read it
    memory.source = 1;
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
    if (is(what, "refill-polled"))
      await();
    memory.source = 2;
    if (is(what, "refill"))
      await();
  } else if (is(what, "event")) { // the program sleeps until the completion comes
    struct ibv_cq *of;
    void *unused;
    ibv_req_notify_cq(completions, 0);
    post(IBV_WR_RDMA_READ, &memory.result, signaled);
    if (ibv_get_cq_event(channel, &of, &unused))
      die("event");
    ibv_ack_cq_events(of, 1);
    await();
    memory.copy = memory.result;
  } else if (is(what, "refill-glanced")) { // looks for the completion, and does not ask whether it was there
    struct ibv_wc wc;
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
    int n = ibv_poll_cq(completions, 1, &wc);
    memory.source = 2;
    if (!n)
      await();
  } else if (is(what, "refill-inline")) {
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled | IBV_SEND_INLINE);
    memory.source = 2;
    await();
  } else if (is(what, "early") || is(what, "early-polled")) { // a result is looked at before it is there
    post(IBV_WR_RDMA_READ, &memory.result, signaled);
    if (is(what, "early-polled"))
      await();
    memory.copy = memory.result;
    if (is(what, "early"))
      await();
  } else if (is(what, "forward") ||
             is(what, "forward-fenced")) { // a result is the source of the next request
    post(IBV_WR_RDMA_READ, &memory.result, signaled);
    post(IBV_WR_RDMA_WRITE, &memory.result, signaled | (is(what, "forward-fenced") ? IBV_SEND_FENCE : 0));
    await(), await();
  } else if (is(what, "back")) { // a source is read before a later READ overwrites it
    post(IBV_WR_RDMA_WRITE, &memory.source, 0);
    post(IBV_WR_RDMA_READ, &memory.source, signaled);
    await();
    memory.source = 3;
  } else if (is(what, "receive") || is(what, "receive-polled")) { // a message is looked at before it is there
    post_receive(&memory.result);
    post(IBV_WR_SEND, &memory.source, signaled);
    if (is(what, "receive-polled"))
      await(), await();
    memory.copy = memory.result;
    if (is(what, "receive"))
      await(), await();
  } else if (is(what, "abandoned")) { // a message that never comes, and its buffer is used for something else
    with_another_pair(post_and_forget);
    memory.copy = 1;
  } else if (is(what, "other") ||
             is(what, "other-polled")) { // takes the completion of another queue pair for that of the first
    memory.source = 1;
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
    with_another_pair(is(what, "other") ? post_and_await : post_and_await_both);
  } else if (is(what, "overtake") || is(what, "overtake-fenced")) { // a READ's target is written behind it
    post(IBV_WR_RDMA_READ, &memory.result, signaled);
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled | (is(what, "overtake-fenced") ? IBV_SEND_FENCE : 0));
    await(), await();
  } else if (is(what, "landed") || is(what, "landed-pushed")) { // a WRITE that is polled is not in memory yet
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
    await();
    if (is(what, "landed-pushed")) { // but is when a READ behind it is
      post(IBV_WR_RDMA_READ, &memory.result, signaled);
      await();
    }
    memory.copy = memory.there;
  } else if (is(what, "counter") || is(what, "counter-plain")) { // a processor looks at what atomics change
    post(IBV_WR_ATOMIC_FETCH_AND_ADD, &memory.result, signaled);
    post(IBV_WR_ATOMIC_FETCH_AND_ADD, &memory.result, signaled);
    memory.copy = is(what, "counter") ? __atomic_load_n(&memory.there, __ATOMIC_ACQUIRE) : memory.there;
    await(), await();
  } else if (is(what, "counter-set") || is(what, "counter-set-polled")) { // a processor sets it meanwhile
    post(IBV_WR_ATOMIC_FETCH_AND_ADD, &memory.result, signaled);
    if (is(what, "counter-set-polled"))
      await();
    __atomic_store_n(&memory.there, 0, __ATOMIC_RELEASE);
    if (is(what, "counter-set"))
      await();
  } else if (is(what, "page") || is(what, "page-polled")) { // some of it is changed, elsewhere each time
    static unsigned at;
    post(IBV_WR_RDMA_WRITE, memory.page, signaled);
    if (is(what, "page-polled"))
      await();
    for (unsigned i = 0; i < 32; ++i)
      memory.page[at++ % 512] = i;
    if (is(what, "page"))
      await();
  } else if (is(what, "handed")) { // one thread posts, another polls
    hand_over(20000);
  } else if (is(what, "deregister")) {
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
    ibv_dereg_mr(region);
    region = NULL;
    await();
  } else if (is(what, "destroy")) {
    post(IBV_WR_RDMA_WRITE, &memory.source, signaled);
  } else if (is(what, "fork")) {
    int status = -1;
    if (fork() == 0)
      exit(0);
    wait(&status);
    printf("the child ends with %d\n", status);
  } else {
    die(what);
  }
}

int main(int argc, char **argv) {
  open_all(argc > 1 && is(argv[1], "event"));
  for (int i = 1; i < argc; i += 2)
    for (int left = i + 1 < argc ? atoi(argv[i + 1]) : 1; left > 0; --left)
      run(argv[i]);
  ibv_destroy_qp(pair);
  ibv_destroy_cq(completions);
  if (region)
    ibv_dereg_mr(region);
  if (channel)
    ibv_destroy_comp_channel(channel);
  ibv_dealloc_pd(domain);
  ibv_close_device(context);
  puts("the end");
  return 0;
}

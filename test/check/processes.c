// processes MODE [SOCKET writes|reads]: two processes with a socket between them, and two queue pairs. One
// writes a page into the other's memory and says so, by the mode in a way that makes sure that the page is
// there, or in one that does not. With a socket this is one of them.
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 2, WORDS = 8, ROUNDS = 20 };

static struct {
  uint64_t page[WORDS], flag;
} memory;

static struct ibv_pd *domain;
static struct ibv_cq *completions;
static struct ibv_mr *region;
static struct ibv_qp *pairs[PAIRS];
static struct address {
  uint64_t at;
  uint32_t key, numbers[PAIRS];
  uint16_t lid;
} there;
static int peer;
static const char *mode;

static int is(const char *name) { return !strcmp(mode, name); }

static void need(int good, const char *what) {
  if (good)
    return;
  perror(what);
  exit(1);
}

static void tell(void) { need(write(peer, "", 1) == 1, "tell"); }
static void await_word(void) {
  char byte;
  need(read(peer, &byte, 1) == 1, "await");
}

static void connect_pair(int i) {
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = 15};
  need(!ibv_modify_qp(pairs[i], &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
       "INIT");
  a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                           .path_mtu = IBV_MTU_1024,
                           .dest_qp_num = there.numbers[i],
                           .max_dest_rd_atomic = 1,
                           .ah_attr = {.dlid = there.lid, .port_num = 1}};
  need(!ibv_modify_qp(pairs[i], &a,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
       "RTR");
  a = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  need(!ibv_modify_qp(pairs[i], &a,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                          IBV_QP_MAX_QP_RD_ATOMIC),
       "RTS");
}

static void post_receive(void) {
  struct ibv_recv_wr wr = {0}, *bad;
  need(!ibv_post_recv(pairs[0], &wr, &bad), "receive");
}

static void open_all(void) {
  struct ibv_context *context = ibv_open_device(ibv_get_device_list(NULL)[0]);
  struct ibv_port_attr port;
  need(context && !ibv_query_port(context, 1, &port), "device");
  domain = ibv_alloc_pd(context);
  completions = ibv_create_cq(context, 64, NULL, NULL, 0);
  region = ibv_reg_mr(domain, &memory, sizeof memory, 15);
  struct address here = {.at = (uintptr_t)&memory, .key = region->rkey, .lid = port.lid};
  for (int i = 0; i < PAIRS; ++i) {
    struct ibv_qp_init_attr init = {
        .send_cq = completions, .recv_cq = completions, .qp_type = IBV_QPT_RC, .cap = {64, 64, 1, 1, 64}};
    pairs[i] = ibv_create_qp(domain, &init);
    here.numbers[i] = pairs[i]->qp_num;
  }
  need(write(peer, &here, sizeof here) == sizeof here && read(peer, &there, sizeof there) == sizeof there,
       "addresses");
  for (int i = 0; i < PAIRS; ++i)
    connect_pair(i);
  post_receive();
  tell(), await_word();
}

static void await_completion(void) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(completions, 1, &wc)) == 0) {
  }
  need(n == 1 && wc.status == IBV_WC_SUCCESS, "completion");
}

/// Between the same bytes here and there.
__attribute__((noinline)) static void post(int by, enum ibv_wr_opcode opcode, void *from, uint32_t size) {
  struct ibv_sge piece = {(uintptr_t)from, size, region->lkey};
  struct ibv_send_wr wr = {.opcode = opcode,
                           .sg_list = &piece,
                           .num_sge = 1,
                           .send_flags = IBV_SEND_SIGNALED},
                     *bad;
  wr.wr.rdma.remote_addr = there.at + ((uintptr_t)from - (uintptr_t)&memory);
  wr.wr.rdma.rkey = there.key;
  if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    wr.wr.atomic.compare_add = 1;
    wr.wr.atomic.rkey = there.key;
  }
  need(!ibv_post_send(pairs[by], &wr, &bad), "post");
}

/// To its end.
__attribute__((noinline)) static void transfer(int by, enum ibv_wr_opcode opcode, void *from, uint32_t size) {
  post(by, opcode, from, size);
  await_completion();
}

static void write_pages(void) {
  for (uint64_t i = 1; i <= ROUNDS; ++i) {
    for (int w = 0; w < WORDS; ++w)
      memory.page[w] = i;
    memory.flag = i;
    transfer(0, IBV_WR_RDMA_WRITE, memory.page, sizeof memory.page);
    if (is("pushed") || is("alarms")) // a READ behind it
      transfer(0, IBV_WR_RDMA_READ, memory.page, sizeof memory.page);
    if (is("seen")) // by another way
      transfer(1, IBV_WR_RDMA_READ, memory.page, sizeof memory.page);
    if (is("message"))
      transfer(0, IBV_WR_SEND, memory.page, 0);
    if (is("flag") || is("flag-elsewhere"))
      transfer(is("flag") ? 0 : 1, IBV_WR_RDMA_WRITE, &memory.flag, sizeof memory.flag);
    else
      tell();
    await_word(); // used
  }
}

__attribute__((noinline)) static uint64_t sum(void) {
  uint64_t all = 0;
  for (int w = 0; w < WORDS; ++w)
    all += is("checked") ? __atomic_load_n(&memory.page[w], __ATOMIC_RELAXED) : memory.page[w];
  return all;
}

static void *look_on(void *unused) { return unused; }

static void read_pages(void) {
  uint64_t all = 0;
  pthread_t thread;
  if (is("threads"))
    need(!pthread_create(&thread, NULL, look_on, NULL) && !pthread_join(thread, NULL), "thread");
  for (uint64_t i = 1; i <= ROUNDS; ++i) {
    if (is("flag") || is("flag-elsewhere"))
      while (*(volatile uint64_t *)&memory.flag < i)
        usleep(100);
    else
      await_word();
    if (is("message"))
      await_completion(), post_receive();
    all += sum();
    tell();
  }
  printf("the end: %lu\n", (unsigned long)all);
}

/// Each page is looked at before the other process is told that it may be written.
static void read_before(void) {
  for (uint64_t i = 1; i <= ROUNDS; ++i) {
    sum();
    tell(), await_word();
    struct ibv_wc wc;
    ibv_poll_cq(completions, 1, &wc); // a call of the device while the page is under way
  }
  puts("the end: before");
}

static void write_after(void) {
  for (uint64_t i = 1; i <= ROUNDS; ++i) {
    await_word();
    transfer(0, IBV_WR_RDMA_WRITE, memory.page, sizeof memory.page);
    usleep(1000);
    transfer(0, IBV_WR_RDMA_READ, memory.page, sizeof memory.page);
    tell();
  }
}

static int counts(void) { return is("counts") || is("counted") || is("doorbell"); }

/// One adds to the other's counter: meanwhile, each time before it says so, or each time the other waits for
/// it.
static void count_up(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    post(0, IBV_WR_ATOMIC_FETCH_AND_ADD, &memory.flag, sizeof memory.flag);
    if (!is("doorbell"))
      await_completion();
    if (is("counted"))
      tell();
    if (!is("counts"))
      await_word();
    if (is("doorbell"))
      await_completion();
  }
}

static void set_counter(void) {
  for (uint64_t i = 0; i < (is("counts") ? 10 * ROUNDS : ROUNDS); ++i) {
    if (is("counted"))
      await_word();
    while (is("doorbell") && !__atomic_load_n(&memory.flag, __ATOMIC_ACQUIRE))
      sched_yield();
    __atomic_store_n(&memory.flag, 0, __ATOMIC_RELEASE);
    is("counts") ? (void)usleep(300) : tell();
  }
  puts("the end: counted");
}

// Calls the kernel wherever the program is, in the device or in ThreadSanitizer.
static void on_alarm(int number) { (void)!write(2, "", number == 0); }

static void call_now_and_then(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  struct itimerval often = {{0, 200}, {0, 200}};
  need(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &often, NULL), "alarm");
}

static void write_all(void) { counts() ? count_up() : is("before") ? write_after() : write_pages(); }
static void read_all(void) { counts() ? set_counter() : is("before") ? read_before() : read_pages(); }

int main(int argc, char **argv) {
  int ends[2], status = 0;
  mode = argc > 1 ? argv[1] : "";
  if (argc == 4) {
    peer = atoi(argv[2]);
    open_all();
    argv[3][0] == 'w' ? write_all() : read_all();
    return 0;
  }
  need(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
  pid_t child = fork();
  peer = ends[child == 0];
  open_all();
  if (is("alarms") && child)
    call_now_and_then();
  if (child == 0) {
    write_all();
    _exit(0);
  }
  read_all();
  waitpid(child, &status, 0);
  return status != 0;
}

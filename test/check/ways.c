// As race.c, for other ways to wait, other kinds of queue pairs, and requests that end by their queue pair.
#include "Inputs/mistakes.h"

#include <errno.h>
#include <pthread.h>

/// Another queue pair for the time of one mistake.
static struct ibv_qp *pair_of(enum ibv_qp_type type, struct ibv_cq *sent) {
  struct ibv_qp_init_attr init = {
      .send_cq = sent, .recv_cq = arrivals, .qp_type = type, .cap = {64, 64, 2, 2, 64}};
  struct ibv_qp *created = ibv_create_qp(domain, &init);
  if (!created)
    die("queue pair");
  return created;
}

static struct ibv_cq_ex *extended;
static struct ibv_poll_cq_attr no_attributes;

static struct ibv_qp *pair_with_extended(void) {
  struct ibv_cq_init_attr_ex init = {.cqe = 64, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN};
  extended = ibv_create_cq_ex(context, &init);
  if (!extended)
    die("completion queue");
  struct ibv_qp *by = pair_of(IBV_QPT_RC, ibv_cq_ex_to_cq(extended));
  connect_to_itself(by);
  return by;
}

static void destroy_with(struct ibv_qp *by, struct ibv_cq *sent) {
  if (ibv_destroy_qp(by) || ibv_destroy_cq(sent))
    die("destroy");
}

static void await_extended(void) {
  while (ibv_start_poll(extended, &no_attributes) == ENOENT) {
  }
}

static void glance(void) { // once, by ibv_start_poll
  struct ibv_qp *by = pair_with_extended();
  post(by, IBV_WR_RDMA_WRITE, &memory.source, 0);
  int error;
  while ((error = ibv_start_poll(extended, &no_attributes)) == ENOENT && well) {
  }
  memory.source = 2;
  if (error)
    await_extended();
  ibv_end_poll(extended);
  destroy_with(by, ibv_cq_ex_to_cq(extended));
}

static void next(void) { // and by ibv_next_poll
  struct ibv_qp *by = pair_with_extended();
  post(by, IBV_WR_RDMA_WRITE, &memory.source, 0);
  await_extended();
  post(by, IBV_WR_RDMA_READ, &memory.result, 0);
  int error;
  while ((error = ibv_next_poll(extended)) == ENOENT && well) {
  }
  memory.copy = memory.result;
  ibv_end_poll(extended);
  if (error) {
    await_extended();
    ibv_end_poll(extended);
  }
  destroy_with(by, ibv_cq_ex_to_cq(extended));
}

static void event(void) { // which is not the completion yet
  struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
  struct ibv_cq *sent = ibv_create_cq(context, 16, NULL, channel, 0), *which;
  struct ibv_qp *by = pair_of(IBV_QPT_RC, sent);
  void *unused;
  connect_to_itself(by);
  if (ibv_req_notify_cq(sent, 0))
    die("notify");
  post(by, IBV_WR_RDMA_READ, &memory.result, 0);
  if (ibv_get_cq_event(channel, &which, &unused))
    die("event");
  ibv_ack_cq_events(which, 1);
  if (well)
    await_in(sent);
  memory.copy = memory.result;
  if (!well)
    await_in(sent);
  destroy_with(by, sent);
  ibv_destroy_comp_channel(channel);
}

static void datagram(void) { // its source is changed
  struct ibv_qp *by = pair_of(IBV_QPT_UD, completions);
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 5};
  ibv_modify_qp(by, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  a.qp_state = IBV_QPS_RTR;
  ibv_modify_qp(by, &a, IBV_QP_STATE);
  a.qp_state = IBV_QPS_RTS;
  struct ibv_ah_attr nobody = {.dlid = 1, .port_num = 1};
  struct ibv_ah *to = ibv_create_ah(domain, &nobody);
  struct ibv_sge piece = piece_of(&memory.source);
  struct ibv_send_wr wr = {.opcode = IBV_WR_SEND,
                           .send_flags = IBV_SEND_SIGNALED,
                           .sg_list = &piece,
                           .num_sge = 1,
                           .wr.ud = {to, 1, 5}},
                     *bad;
  if (ibv_modify_qp(by, &a, IBV_QP_STATE | IBV_QP_SQ_PSN) || ibv_post_send(by, &wr, &bad))
    die("send");
  await_if(well);
  memory.source = 2;
  await_if(!well);
  ibv_destroy_qp(by);
  ibv_destroy_ah(to);
}

static void flush(void) { // the end of a queue pair is not that of its requests, which their completions tell
  struct ibv_qp *by = create_pair(NULL);
  struct ibv_qp_attr ended = {.qp_state = IBV_QPS_ERR};
  struct ibv_wc wc;
  post(by, IBV_WR_RDMA_READ, &memory.result, 0);
  if (ibv_modify_qp(by, &ended, IBV_QP_STATE))
    die("error state");
  while (well && ibv_poll_cq(completions, 1, &wc) == 0) {
  }
  memory.result = 2;
  while (!well && ibv_poll_cq(completions, 1, &wc) == 0) {
  }
  ibv_destroy_qp(by);
}

static void reset(void) { // but of one that is reset they are over
  struct ibv_qp *by = create_pair(NULL);
  struct ibv_qp_attr anew = {.qp_state = IBV_QPS_RESET};
  post(by, IBV_WR_RDMA_WRITE, &memory.source, 0);
  if (!well)
    memory.source = 2;
  if (ibv_modify_qp(by, &anew, IBV_QP_STATE))
    die("reset");
  memory.source = 3;
  ibv_destroy_qp(by);
}

static int told;

static void *wait_for_it(void *unused) {
  await();
  __atomic_store_n(&told, 1, well ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
  return unused;
}

static void relay(void) { // another thread waits, and says so without an order
  pthread_t other;
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  if (pthread_create(&other, NULL, wait_for_it, NULL))
    die("thread");
  while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE)) {
  }
  memory.source = 2;
  pthread_join(other, NULL);
}

static void window(void) { // of four words, of which five are used
  static uint64_t words[4];
  struct ibv_mr *mr = ibv_reg_mr(domain, words, sizeof words, IBV_ACCESS_LOCAL_WRITE);
  int taken = 0;
  for (int posted = 0; posted < 40; ++posted) {
    for (; posted - taken >= (well ? 4 : 5); ++taken)
      await();
    words[posted % 4] = (uint64_t)posted;
    struct ibv_sge piece = {(uintptr_t)&words[posted % 4], 8, mr->lkey};
    post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  }
  for (; taken < 40; ++taken)
    await();
  ibv_dereg_mr(mr);
}

static void rereg(void) { // a region is moved while it is sent from
  static uint64_t here, there;
  struct ibv_mr *mr = ibv_reg_mr(domain, &here, sizeof here, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_sge piece = {(uintptr_t)&here, 8, mr->lkey};
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, &there, sizeof there, 0))
    die("rereg");
  await_if(!well);
  ibv_dereg_mr(mr);
}

int main(int argc, char **argv) {
  static const struct mistake all[] = {{"glance", glance},     {"next", next},     {"event", event},
                                       {"datagram", datagram}, {"flush", flush},   {"reset", reset},
                                       {"relay", relay},       {"window", window}, {"rereg", rereg}};
  return run_named(argc, argv, all, sizeof all / sizeof *all);
}

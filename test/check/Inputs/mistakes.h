// What the programs of this folder that make one mistake each share: a queue pair connected to itself, a
// second one, and requests of them. PROGRAM WHAT, where WHAT-well is the same without the mistake.
#include "itself.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  uint64_t source, other, copy, result, there, there_too;
  uint64_t held, value[2], shared[2], seen[2];
} memory;

static struct ibv_context *context;
static struct ibv_pd *domain;
static struct ibv_cq *completions, *arrivals;
static struct ibv_mr *region;
static struct ibv_qp *pair, *second;
static int well;

static struct ibv_qp *create_unconnected(struct ibv_srq *receives) {
  struct ibv_qp_init_attr_ex init = {.send_cq = completions,
                                     .recv_cq = arrivals,
                                     .srq = receives,
                                     .qp_type = IBV_QPT_RC,
                                     .cap = {64, 64, 2, 2, 64},
                                     .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                                     .pd = domain,
                                     .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE};
  struct ibv_qp *created = ibv_create_qp_ex(context, &init);
  if (!created)
    die("queue pair");
  return created;
}

static struct ibv_qp *create_pair(struct ibv_srq *receives) {
  struct ibv_qp *created = create_unconnected(receives);
  connect_to_itself(created);
  return created;
}

static void open_all(void) {
  struct ibv_device **devices = ibv_get_device_list(NULL);
  context = ibv_open_device(devices[0]);
  domain = ibv_alloc_pd(context);
  completions = ibv_create_cq(context, 64, NULL, NULL, 0);
  arrivals = ibv_create_cq(context, 64, NULL, NULL, 0);
  region = ibv_reg_mr(domain, &memory, sizeof memory, 15);
  if (!region)
    die("open");
  pair = create_pair(NULL);
  second = create_pair(NULL);
}

static struct ibv_sge piece_of(uint64_t *local) {
  return (struct ibv_sge){(uintptr_t)local, 8, region->lkey};
}

__attribute__((noinline)) static void post_to(struct ibv_qp *by, enum ibv_wr_opcode opcode, uint64_t *there,
                                              struct ibv_sge *list, int count, unsigned flags) {
  struct ibv_send_wr wr = {.opcode = opcode, .sg_list = list, .num_sge = count, .send_flags = flags}, *bad;
  wr.wr.rdma.remote_addr = (uintptr_t)there;
  wr.wr.rdma.rkey = region->rkey;
  if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    wr.wr.atomic.compare_add = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
    wr.wr.atomic.swap = 1;
    wr.wr.atomic.rkey = region->rkey;
  }
  if (ibv_post_send(by, &wr, &bad))
    die("post");
}

static void post_list(struct ibv_qp *by, enum ibv_wr_opcode opcode, struct ibv_sge *list, int count,
                      unsigned flags) {
  post_to(by, opcode, by == pair ? &memory.there : &memory.there_too, list, count, flags);
}

static void post(struct ibv_qp *by, enum ibv_wr_opcode opcode, uint64_t *local, unsigned flags) {
  struct ibv_sge piece = piece_of(local);
  post_list(by, opcode, &piece, 1, flags | IBV_SEND_SIGNALED);
}

static void post_receive(uint64_t *local) {
  struct ibv_sge piece = piece_of(local);
  struct ibv_recv_wr wr = {.sg_list = &piece, .num_sge = 1}, *bad;
  if (ibv_post_recv(pair, &wr, &bad))
    die("receive");
}

static void await_in(struct ibv_cq *queue) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(queue, 1, &wc)) == 0) {
  }
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("completion");
}

static void await(void) { await_in(completions); }

/// The one place of the program that is at fault, if any, comes between a post and its completion.
static void await_if(int now) {
  if (now)
    await();
}

struct mistake {
  const char *name;
  void (*run)(void);
};

static int run_named(int argc, char **argv, const struct mistake *all, size_t count) {
  const char *what = argc > 1 ? argv[1] : "";
  size_t length = strcspn(what, "-");
  well = what[length] != 0;
  open_all();
  for (size_t i = 0; i < count; ++i)
    if (strlen(all[i].name) == length && !strncmp(all[i].name, what, length))
      all[i].run();
  ibv_destroy_qp(pair);
  ibv_destroy_qp(second);
  ibv_destroy_cq(completions);
  ibv_destroy_cq(arrivals);
  ibv_dereg_mr(region);
  ibv_dealloc_pd(domain);
  ibv_close_device(context);
  puts("the end");
  return 0;
}

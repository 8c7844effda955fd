// Runs a program that is one function run(), as C or C++: -DPROGRAM='"file"', and -DANOTHER for a second
// file. What run() takes is made for it: queue pairs that are connected to themselves, a completion queue
// each. Requests need not name keys or an address of the target.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <unordered_map>
#define OVERLOADED
#else
#define OVERLOADED __attribute__((overloadable))
#endif

enum { drive_depth = 256, drive_regions = 64, drive_room = 1 << 16, drive_part = drive_room / 32 };

static uint64_t drive_there[drive_room / 8];
static struct ibv_context *drive_context;
static struct ibv_pd *drive_domain;
static struct ibv_mr *drive_target, *drive_region[drive_regions];

static void drive_must(int done, const char *what) {
  if (done)
    return;
  perror(what);
  exit(1);
}

static struct ibv_mr *drive_register(uint64_t at, uint64_t size) {
  int i = 0;
  for (; i < drive_regions && drive_region[i]; ++i)
    if (at - (uint64_t)(uintptr_t)drive_region[i]->addr + size <= drive_region[i]->length)
      return drive_region[i];
  drive_must(i < drive_regions, "a region less");
  drive_region[i] = ibv_reg_mr(drive_domain, (void *)(uintptr_t)at, size, IBV_ACCESS_LOCAL_WRITE);
  drive_must(drive_region[i] != NULL, "ibv_reg_mr");
  return drive_region[i];
}

static int drive_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  for (; wr; wr = wr->next) {
    struct ibv_sge pieces[16];
    struct ibv_send_wr one = *wr, *unused;
    one.next = NULL;
    one.sg_list = pieces;
    for (int i = 0; i < wr->num_sge; ++i) {
      pieces[i] = wr->sg_list[i];
      pieces[i].lkey = drive_register(pieces[i].addr, pieces[i].length)->lkey;
    }
    // A place of its own for each queue pair, which elsewhere would lead to a node of its own.
    one.wr.rdma.remote_addr =
        (uintptr_t)drive_there + qp->qp_num % 16 * drive_part + one.wr.rdma.remote_addr % drive_part;
    one.wr.rdma.rkey = drive_target->rkey;
    int error = ibv_post_send(qp, &one, &unused);
    if (error) {
      *bad = wr;
      return error;
    }
  }
  return 0;
}

static void drive_connect(struct ibv_qp *qp) {
  struct ibv_port_attr port;
  drive_must(!ibv_query_port(drive_context, 1, &port), "ibv_query_port");
  struct ibv_qp_attr to = {};
  to.qp_state = IBV_QPS_INIT, to.port_num = 1, to.qp_access_flags = 15;
  int error = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  to.qp_state = IBV_QPS_RTR, to.path_mtu = IBV_MTU_1024, to.dest_qp_num = qp->qp_num,
  to.max_dest_rd_atomic = 4;
  to.ah_attr.dlid = port.lid, to.ah_attr.port_num = 1;
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  to.qp_state = IBV_QPS_RTS, to.timeout = 14, to.retry_cnt = 7, to.rnr_retry = 7, to.max_rd_atomic = 4;
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC);
  drive_must(!error, "ibv_modify_qp");
}

static struct ibv_qp *drive_create(struct ibv_pd *domain, struct ibv_qp_init_attr *init) {
  init->cap.max_send_wr = drive_depth, init->cap.max_send_sge = 16, init->cap.max_inline_data = 64;
  struct ibv_qp *qp = ibv_create_qp(domain, init);
  drive_must(qp != NULL, "ibv_create_qp");
  drive_connect(qp);
  return qp;
}

struct drive_pair {
  struct ibv_comp_channel *channel;
  struct ibv_cq *cq;
  struct ibv_qp *qp;
};

static struct drive_pair drive_make(int events) {
  struct drive_pair made = {};
  made.channel = events ? ibv_create_comp_channel(drive_context) : NULL;
  made.cq = ibv_create_cq(drive_context, drive_depth, NULL, made.channel, 0);
  struct ibv_qp_init_attr init = {};
  init.send_cq = init.recv_cq = made.cq, init.qp_type = IBV_QPT_RC;
  made.qp = drive_create(drive_domain, &init);
  return made;
}

#define ibv_post_send drive_post
#define ibv_create_qp drive_create
#include PROGRAM
#ifdef ANOTHER
#include ANOTHER
#endif

static OVERLOADED void drive(int (*f)(struct ibv_qp *, struct ibv_cq *)) {
  struct drive_pair on = drive_make(0);
  f(on.qp, on.cq);
}
static OVERLOADED void drive(int (*f)(struct ibv_qp *, struct ibv_cq *, int)) {
  struct drive_pair on = drive_make(0);
  f(on.qp, on.cq, 100);
}
static OVERLOADED void drive(int (*f)(struct ibv_qp *, struct ibv_cq *, struct ibv_comp_channel *)) {
  struct drive_pair on = drive_make(1);
  f(on.qp, on.cq, on.channel);
}
static OVERLOADED void drive(int (*f)(struct ibv_qp **, struct ibv_cq **)) {
  struct ibv_qp *qp[3];
  struct ibv_cq *cq[3];
  for (int i = 0; i < 3; ++i) {
    struct drive_pair on = drive_make(0);
    qp[i] = on.qp, cq[i] = on.cq;
  }
  f(qp, cq);
}
static OVERLOADED void drive(int (*f)(struct ibv_pd *, struct ibv_context *)) {
  f(drive_domain, drive_context);
}
static OVERLOADED void drive(void (*f)(struct ibv_qp *, struct ibv_cq *, uint32_t, uint64_t, uint32_t)) {
  struct drive_pair on = drive_make(0);
  f(on.qp, on.cq, 0, 0, 0);
}
#ifdef __cplusplus
template <typename T>
static void drive(void (*f)(ibv_qp *, ibv_cq *, std::unordered_map<uint64_t, T *> &, T *)) {
  drive_pair on = drive_make(0);
  std::unordered_map<uint64_t, T *> none;
  T one = {};
  f(on.qp, on.cq, none, &one);
}
#endif

int main(void) {
  struct ibv_device **devices = ibv_get_device_list(NULL);
  drive_context = ibv_open_device(devices[0]);
  drive_domain = ibv_alloc_pd(drive_context);
  drive_target = ibv_reg_mr(drive_domain, drive_there, sizeof drive_there, 15);
  drive_must(drive_target != NULL, "ibv_reg_mr");
  drive(run);
  puts("the end");
  return 0;
}

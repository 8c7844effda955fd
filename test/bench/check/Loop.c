// Loop OPERATIONS SIZE WINDOW LOOKS: WRITEs of SIZE bytes to the process itself, WINDOW of them before their
// completions are taken, each filled before and what came back with a READ looked at behind, LOOKS times.
#include <infiniband/verbs.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  depth = 256,
  slots = 16,
  most = 1 << 16,
  access_all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ
};

static uint64_t out[slots][most / 8], in[slots][most / 8], there[slots][most / 8];

static void must(int done, const char *what) {
  if (done)
    return;
  perror(what);
  exit(1);
}

struct line {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  struct ibv_mr *out, *in, *there;
};

static void connect_to_itself(struct ibv_context *context, struct ibv_qp *qp) {
  struct ibv_port_attr port;
  must(!ibv_query_port(context, 1, &port), "ibv_query_port");
  struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access_all};
  must(!ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
       "to INIT");
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                            .path_mtu = IBV_MTU_4096,
                            .dest_qp_num = qp->qp_num,
                            .max_dest_rd_atomic = 16,
                            .min_rnr_timer = 12,
                            .ah_attr = {.dlid = port.lid, .port_num = 1}};
  must(!ibv_modify_qp(qp, &to,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
       "to RTR");
  to = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 16};
  must(!ibv_modify_qp(qp, &to,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                          IBV_QP_MAX_QP_RD_ATOMIC),
       "to RTS");
}

static struct line begin(void) {
  struct ibv_device **list = ibv_get_device_list(NULL);
  must(list && list[0], "a device");
  struct ibv_context *context = ibv_open_device(list[0]);
  struct ibv_pd *pd = ibv_alloc_pd(context);
  struct line l = {.cq = ibv_create_cq(context, depth, NULL, NULL, 0)};
  struct ibv_qp_init_attr init = {
      .send_cq = l.cq, .recv_cq = l.cq, .qp_type = IBV_QPT_RC, .cap = {depth, 1, 1, 1, 0}};
  l.qp = ibv_create_qp(pd, &init);
  l.out = ibv_reg_mr(pd, out, sizeof out, access_all);
  l.in = ibv_reg_mr(pd, in, sizeof in, access_all);
  l.there = ibv_reg_mr(pd, there, sizeof there, access_all);
  must(l.qp && l.out && l.in && l.there, "queue pair and regions");
  connect_to_itself(context, l.qp);
  return l;
}

static void post(struct line *l, enum ibv_wr_opcode opcode, struct ibv_mr *mr, void *at, unsigned slot,
                 uint32_t size) {
  struct ibv_sge sge = {.addr = (uintptr_t)at, .length = size, .lkey = mr->lkey};
  struct ibv_send_wr wr = {.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1},
                     *bad;
  wr.wr.rdma.remote_addr = (uintptr_t)there[slot];
  wr.wr.rdma.rkey = l->there->rkey;
  must(!ibv_post_send(l->qp, &wr, &bad), "ibv_post_send");
}

static void take(struct line *l, unsigned count) {
  struct ibv_wc wc;
  while (count) {
    int got = ibv_poll_cq(l->cq, 1, &wc);
    must(got >= 0 && (!got || wc.status == IBV_WC_SUCCESS), "ibv_poll_cq");
    count -= (unsigned)got;
  }
}

int main(int argc, char **argv) {
  must(argc == 5, "usage: Loop OPERATIONS SIZE WINDOW LOOKS");
  unsigned long operations = strtoul(argv[1], NULL, 10), size = strtoul(argv[2], NULL, 10);
  unsigned window = (unsigned)atoi(argv[3]), looks = (unsigned)atoi(argv[4]);
  must(size && size <= most && window && window <= slots, "size and window");
  struct line l = begin();
  uint64_t sum = 0, words = size / 8;
  for (unsigned long done = 0; done < operations; done += window) {
    for (unsigned s = 0; s < window; ++s) {
      for (unsigned k = 0; k < looks; ++k)
        for (uint64_t i = 0; i < words; ++i)
          out[s][i] = done + i;
      post(&l, IBV_WR_RDMA_WRITE, l.out, out[s], s, (uint32_t)size);
    }
    take(&l, window);
    for (unsigned s = 0; s < window; ++s)
      post(&l, IBV_WR_RDMA_READ, l.in, in[s], s, (uint32_t)size);
    take(&l, window);
    for (unsigned s = 0; s < window * (looks > 0); ++s)
      for (unsigned k = 0; k < looks; ++k)
        for (uint64_t i = 0; i < words; ++i)
          sum += in[s][i];
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}

#include "fix.h"

#include <sched.h>

void begin(struct setting *s, struct message *from, struct message *to) {
  open_device(&s->dev);
  s->out = ibv_reg_mr(s->dev.pd, from, sizeof *from, OWN_ACCESS);
  s->in = ibv_reg_mr(s->dev.pd, to, MESSAGES * sizeof *to, REMOTE_ACCESS);
  if (!s->out || !s->in)
    die("ibv_reg_mr");
}

int finish(struct setting *s, struct connection *self, const struct message *all, int lost) {
  close_connection(self);
  ibv_dereg_mr(s->out);
  ibv_dereg_mr(s->in);
  close_device(&s->dev);
  return verdict(all, lost);
}

void loop_back(struct connection *self, const struct device *dev, const struct ibv_mr *offered, struct ibv_cq *cq,
               uint32_t room) {
  struct ibv_qp_init_attr_ex wanted;
  struct ibv_qp_attr a;
  struct ibv_port_attr port;
  memset(&wanted, 0, sizeof wanted);
  wanted.send_cq = wanted.recv_cq = cq;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap.max_send_wr = room;
  wanted.cap.max_recv_wr = wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  wanted.pd = dev->pd;
  wanted.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ;
  self->cq = cq;
  self->qp = cq ? ibv_create_qp_ex(dev->context, &wanted) : NULL;
  self->sock = -1;
  self->remote_addr = (uintptr_t)offered->addr;
  self->rkey = offered->rkey;
  if (!self->qp || ibv_query_port(dev->context, 1, &port))
    die("queue pair");
  memset(&a, 0, sizeof a);
  a.qp_state = IBV_QPS_INIT;
  a.port_num = 1;
  a.qp_access_flags = (unsigned)REMOTE_ACCESS;
  if (ibv_modify_qp(self->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    die("to INIT");
  memset(&a, 0, sizeof a);
  a.qp_state = IBV_QPS_RTR;
  a.path_mtu = IBV_MTU_1024;
  a.dest_qp_num = self->qp->qp_num;
  a.max_dest_rd_atomic = 8;
  a.min_rnr_timer = 12;
  a.ah_attr.port_num = 1;
  a.ah_attr.dlid = port.lid;
  a.ah_attr.is_global = 1;
  a.ah_attr.grh.hop_limit = 1;
  if (ibv_query_gid(dev->context, 1, 0, &a.ah_attr.grh.dgid) ||
      ibv_modify_qp(self->qp, &a,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
    die("to RTR");
  memset(&a, 0, sizeof a);
  a.qp_state = IBV_QPS_RTS;
  a.timeout = 14;
  a.retry_cnt = a.rnr_retry = 7;
  a.max_rd_atomic = 8;
  if (ibv_modify_qp(self->qp, &a,
                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC))
    die("to RTS");
}

int arrived(const struct connection *to) {
  static uint64_t word;
  struct ibv_mr *mr = ibv_reg_mr(to->qp->pd, &word, sizeof word, OWN_ACCESS);
  struct ibv_sge sge = {.addr = (uintptr_t)&word, .length = sizeof word, .lkey = mr ? mr->lkey : 0};
  struct ibv_send_wr wr, *bad;
  int others = -1;
  memset(&wr, 0, sizeof wr);
  wr.wr_id = ~0ull;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = to->remote_addr;
  wr.wr.rdma.rkey = to->rkey;
  if (!mr || ibv_post_send(to->qp, &wr, &bad))
    die("READ");
  do
    others++;
  while (take_one(to->cq).wr_id != ~0ull);
  ibv_dereg_mr(mr);
  return others;
}

struct ibv_wc take_one(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    sched_yield();
  if (n < 0)
    die("ibv_poll_cq");
  return wc;
}

int verdict(const struct message *all, int lost) {
  int wrong = 0;
  if (lost) {
    printf("LOST: a completion is missing, doubled or out of turn\n");
    return LOST;
  }
  for (int m = 0; m < MESSAGES; m++)
    for (int i = 0; i < WORDS; i++)
      if (all[m].words[i] != (uint64_t)m + 1) {
        wrong++;
        break;
      }
  printf("%s: %d of %d messages wrong\n", wrong ? "BAD" : "ok", wrong, MESSAGES);
  return wrong ? EXIT_BAD_OUTCOME : 0;
}

// Runs the program of a page: PAGE_CALL, a call of `int page(PAGE_TAKES)`, on queue pairs that lead back to
// the process. Ends as page does.
#include <infiniband/verbs.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int page(PAGE_TAKES);

static uint64_t memory[2];

static void must(int done, const char *what) {
  if (done)
    return;
  perror(what);
  exit(1);
}

static struct ibv_qp *loop(struct ibv_pd *pd, struct ibv_cq *cq, uint16_t lid) {
  struct ibv_qp_init_attr init = {
      .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {64, 1, 1, 1, 64}};
  struct ibv_qp *qp = ibv_create_qp(pd, &init);
  must(qp != NULL, "ibv_create_qp");
  struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT,
                           .port_num = 1,
                           .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE};
  must(!ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
       "to INIT");
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                            .path_mtu = IBV_MTU_1024,
                            .dest_qp_num = qp->qp_num,
                            .max_dest_rd_atomic = 4,
                            .min_rnr_timer = 12,
                            .ah_attr = {.dlid = lid, .port_num = 1}};
  must(!ibv_modify_qp(qp, &to,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
       "to RTR");
  to = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 4};
  must(!ibv_modify_qp(qp, &to,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                          IBV_QP_MAX_QP_RD_ATOMIC),
       "to RTS");
  return qp;
}

int main(void) {
  struct ibv_device **list = ibv_get_device_list(NULL);
  struct ibv_context *context = ibv_open_device(list[0]);
  struct ibv_pd *pd = ibv_alloc_pd(context);
  struct ibv_cq *cq = ibv_create_cq(context, 64, NULL, NULL, 0);
  struct ibv_port_attr port;
  must(!ibv_query_port(context, 1, &port), "ibv_query_port");
  struct ibv_qp *qp = loop(pd, cq, port.lid), *left = qp, *right = loop(pd, cq, port.lid);
  struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof memory,
                                 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
  must(mr != NULL, "ibv_reg_mr");
  // What a page calls what it takes.
  uint64_t its_work = (uintptr_t)&memory[0], its_record = its_work, its_done = (uintptr_t)&memory[1];
  uint32_t key = mr->rkey;
  (void)left, (void)right, (void)its_work, (void)its_record, (void)its_done, (void)key;
  return PAGE_CALL;
}

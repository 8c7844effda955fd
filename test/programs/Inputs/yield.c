// yield: posts 64 WRITEs to itself and takes their completions, and gives its processor away whenever there
// is none. Says whether it had to do so thousands of times.
#include <infiniband/verbs.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int done, const char *what) {
  if (done)
    return;
  perror(what);
  exit(1);
}

static void connect_to_itself(struct ibv_qp *qp, uint16_t lid) {
  struct ibv_qp_attr to = {
      .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
  int error = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                            .path_mtu = IBV_MTU_1024,
                            .dest_qp_num = qp->qp_num,
                            .ah_attr = {.dlid = lid, .port_num = 1}};
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7};
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC);
  must(!error, "connection");
}

int main(void) {
  enum { requests = 64, many = 3000 };
  static uint64_t from[requests], to[requests];
  struct ibv_device **devices = ibv_get_device_list(NULL);
  struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
  struct ibv_port_attr port;
  must(context && !ibv_query_port(context, 1, &port), "device");
  struct ibv_pd *domain = ibv_alloc_pd(context);
  struct ibv_mr *source = ibv_reg_mr(domain, from, sizeof from, 0);
  struct ibv_mr *target = ibv_reg_mr(domain, to, sizeof to, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  struct ibv_cq *cq = ibv_create_cq(context, requests, NULL, NULL, 0);
  struct ibv_qp_init_attr init = {
      .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {requests, 1, 1, 1, 0}};
  struct ibv_qp *qp = ibv_create_qp(domain, &init);
  must(source && target && qp, "queue pair");
  connect_to_itself(qp, port.lid);
  for (int i = 0; i < requests; i++) {
    struct ibv_sge part = {(uintptr_t)&from[i], sizeof from[i], source->lkey};
    struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE,
                             .send_flags = IBV_SEND_SIGNALED,
                             .sg_list = &part,
                             .num_sge = 1,
                             .wr.rdma = {(uintptr_t)&to[i], target->rkey}};
    struct ibv_send_wr *bad;
    must(!ibv_post_send(qp, &wr, &bad), "post");
  }
  int yields = 0;
  for (int done = 0; done < requests;) {
    struct ibv_wc wc;
    if (ibv_poll_cq(cq, 1, &wc) == 1)
      done += wc.status == IBV_WC_SUCCESS;
    else
      yields++, sched_yield();
  }
  printf("%s\n", yields < many ? "not many" : "many");
  return yields >= many;
}

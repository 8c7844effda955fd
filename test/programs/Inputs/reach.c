// reach: is a node, says its LID, and stays until its input ends. reach LID: posts a message to a queue pair of
// that node, which has none, and says what becomes of it.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int done, const char *what) {
  if (done)
    return;
  perror(what);
  exit(1);
}

static void connect_to(struct ibv_qp *qp, uint16_t lid) {
  struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1};
  int error = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                            .path_mtu = IBV_MTU_1024,
                            .dest_qp_num = 1,
                            .ah_attr = {.dlid = lid, .port_num = 1}};
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 1};
  error |= ibv_modify_qp(qp, &to,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC);
  must(!error, "connection");
}

static void reach(struct ibv_context *context, uint16_t lid) {
  struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, NULL, 0);
  struct ibv_qp_init_attr init = {
      .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {1, 1, 1, 1, 0}};
  struct ibv_qp *qp = ibv_create_qp(ibv_alloc_pd(context), &init);
  must(qp != NULL, "queue pair");
  connect_to(qp, lid);
  struct ibv_send_wr wr = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
  must(!ibv_post_send(qp, &wr, &bad), "post");
  struct ibv_wc wc;
  while (ibv_poll_cq(cq, 1, &wc) == 0) {
  }
  puts(ibv_wc_status_str(wc.status));
}

int main(int argc, char **argv) {
  struct ibv_device **devices = ibv_get_device_list(NULL);
  struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
  struct ibv_port_attr port;
  must(context && !ibv_query_port(context, 1, &port), "device");
  if (argc > 1) {
    reach(context, (uint16_t)atoi(argv[1]));
    return 0;
  }
  printf("%d\n", port.lid);
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}

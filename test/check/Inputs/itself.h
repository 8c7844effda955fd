// Queue pairs of one process, most of them their own peers, for the programs of this folder.
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void connect_to(struct ibv_qp *qp, uint32_t number) {
  struct ibv_port_attr port;
  if (ibv_query_port(qp->context, 1, &port))
    die("port");
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = 15};
  if (ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    die("INIT");
  a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                           .path_mtu = IBV_MTU_1024,
                           .dest_qp_num = number,
                           .max_dest_rd_atomic = 1,
                           .ah_attr = {.dlid = port.lid, .port_num = 1}};
  if (ibv_modify_qp(qp, &a,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
    die("RTR");
  a = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  if (ibv_modify_qp(qp, &a,
                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC))
    die("RTS");
}

static inline void connect_to_itself(struct ibv_qp *qp) { connect_to(qp, qp->qp_num); }

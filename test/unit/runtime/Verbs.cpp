#include "Verbs.h"

namespace rdma::test {

Device::Device(int Completions, int Index) {
  int Count = 0;
  ibv_device **List = ibv_get_device_list(&Count);
  CHECK(List && Index < Count && List[Index] && !List[Count]);
  Context = ibv_open_device(List[Index]);
  ibv_free_device_list(List);
  CHECK(Context);
  Domain = ibv_alloc_pd(Context);
  Cq = ibv_create_cq(Context, Completions, nullptr, nullptr, 0);
  CHECK(Domain && Cq);
}

ibv_mr *Device::offer(void *At, size_t Size, unsigned Access) const {
  ibv_mr *Mr = ibv_reg_mr(Domain, At, Size, static_cast<int>(Access));
  CHECK(Mr);
  return Mr;
}

ibv_qp *Device::queuePair(uint32_t Depth, bool AllSignaled) const {
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = Cq;
  Init.qp_type = IBV_QPT_RC;
  Init.sq_sig_all = AllSignaled;
  Init.cap = {Depth, Depth, 4, 4, 64};
  ibv_qp *Qp = ibv_create_qp(Domain, &Init);
  CHECK(Qp);
  return Qp;
}

Address addressOf(const Device &D, const ibv_qp *Qp, const ibv_mr *Mr) {
  ibv_port_attr Port = {};
  CHECK(ibv_query_port(D.Context, 1, &Port) == 0);
  return {Port.lid, Qp->qp_num, Mr ? reinterpret_cast<uint64_t>(Mr->addr) : 0, Mr ? Mr->rkey : 0};
}

void toInit(ibv_qp *Qp, unsigned Access) {
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_INIT;
  A.port_num = 1;
  A.qp_access_flags = Access;
  CHECK(!ibv_modify_qp(Qp, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

void connect(ibv_qp *Qp, const Address &Peer, unsigned Access, uint8_t RnrRetry) {
  if (Qp->state == IBV_QPS_RESET)
    toInit(Qp, Access);
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_RTR;
  A.path_mtu = IBV_MTU_1024;
  A.dest_qp_num = Peer.Number;
  A.max_dest_rd_atomic = 16;
  A.min_rnr_timer = 1;
  A.ah_attr.dlid = Peer.Lid;
  A.ah_attr.port_num = 1;
  CHECK(!ibv_modify_qp(Qp, &A,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
  A.qp_state = IBV_QPS_RTS;
  A.timeout = 12;
  A.retry_cnt = 7;
  A.rnr_retry = RnrRetry;
  A.max_rd_atomic = 16;
  CHECK(!ibv_modify_qp(Qp, &A,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC));
}

} // namespace rdma::test

// What the two sides of a connection have to agree on for the packets of one to be those that the other
// waits for.
#include "Nodes.h"

#include <gtest/gtest.h>

using namespace rdma::test;

namespace {

constexpr uint32_t Size = 4096;

struct Numbers {
  uint32_t Receive = 0, Send = 0; ///< of the first packets
  ibv_mtu Mtu = IBV_MTU_1024;
};

void connectBy(ibv_qp *Qp, const Address &Peer, Numbers By) {
  ibv_qp_attr A = {};
  bool IsReliable = Qp->qp_type == IBV_QPT_RC;
  toInit(Qp, IsReliable ? AllAccess : unsigned(IBV_ACCESS_REMOTE_WRITE));
  A.qp_state = IBV_QPS_RTR;
  A.path_mtu = By.Mtu;
  A.dest_qp_num = Peer.Number;
  A.rq_psn = By.Receive;
  A.max_dest_rd_atomic = 1;
  A.ah_attr.dlid = Peer.Lid;
  A.ah_attr.port_num = 1;
  CHECK(!ibv_modify_qp(Qp, &A,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           (IsReliable ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
  A.qp_state = IBV_QPS_RTS;
  A.sq_psn = By.Send;
  A.timeout = 8;
  A.max_rd_atomic = 1;
  CHECK(!ibv_modify_qp(
      Qp, &A,
      IBV_QP_STATE | IBV_QP_SQ_PSN |
          (IsReliable ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0)));
}

class Packets : public testing::TestWithParam<bool> {
protected:
  Schedule schedule() const { return {GetParam(), 7}; }
  /// The status of a request from a queue pair to another of the process, and whether its data arrives.
  void expect(ibv_wc_status Due, bool Arrives, Numbers From, Numbers To, uint32_t Bytes,
              ibv_wr_opcode Opcode = IBV_WR_RDMA_WRITE, ibv_qp_type Type = IBV_QPT_RC) {
    auto Role = [=] {
      static char Source[Size] = {1}, Target[Size];
      Device D;
      ibv_qp_init_attr Init = {};
      Init.send_cq = Init.recv_cq = D.Cq;
      Init.qp_type = Type;
      Init.cap = {4, 4, 1, 1, 0};
      ibv_qp *Here = ibv_create_qp(D.Domain, &Init), *There = ibv_create_qp(D.Domain, &Init);
      ibv_mr *Mr = D.offer(Source, Size), *MrThere = D.offer(Target, Size);
      connectBy(Here, addressOf(D, There, nullptr), From);
      connectBy(There, addressOf(D, Here, nullptr), To);
      ibv_sge Sge = {reinterpret_cast<uint64_t>(Target), Size, MrThere->lkey};
      ibv_recv_wr Receive = {0, nullptr, &Sge, 1}, *Bad;
      CHECK(ibv_post_recv(There, &Receive, &Bad) == 0);
      CHECK(Work(Opcode, Mr, Source, Bytes, addressOf(D, There, MrThere)).post(Here) == 0);
      ibv_wc Wc = awaitCompletion(D.Cq);
      while (Wc.qp_num != Here->qp_num)
        Wc = awaitCompletion(D.Cq);
      CHECK(Wc.status == Due);
      CHECK(ibv_destroy_qp(Here) == 0 && (Target[0] == 1) == Arrives);
    };
    EXPECT_EQ(runRole(schedule(), Role), 0);
  }
};

/// Those of a reliable connection begin with the number that the target waits for; nobody answers others.
TEST_P(Packets, BeginWithTheNumberThatIsExpected) {
  expect(IBV_WC_RETRY_EXC_ERR, false, {0, 5}, {6, 0}, 8);
  expect(IBV_WC_RETRY_EXC_ERR, false, {0, 5}, {6, 0}, 8, IBV_WR_SEND);
  expect(IBV_WC_SUCCESS, true, {0, 5}, {5, 9}, 8);                 // what comes back need not fit
  expect(IBV_WC_SUCCESS, true, {0, 0x7000005}, {0x2000005, 0}, 8); // of 24 bits
}

/// One that is not reliable goes on with whatever message begins.
TEST_P(Packets, OfUnreliableConnectionsBeginWithAnyNumber) {
  expect(IBV_WC_SUCCESS, true, {0, 5}, {6, 0}, 8, IBV_WR_RDMA_WRITE, IBV_QPT_UC);
}

/// A packet in the middle of a message is as long as the target's MTU says, or it refuses the request.
TEST_P(Packets, AreOfOneLengthOnBothSides) {
  for (auto [Here, There] : {std::pair(IBV_MTU_2048, IBV_MTU_1024), std::pair(IBV_MTU_1024, IBV_MTU_2048)})
    for (ibv_wr_opcode Opcode : {IBV_WR_RDMA_WRITE, IBV_WR_SEND}) {
      expect(IBV_WC_REM_INV_REQ_ERR, false, {0, 0, Here}, {0, 0, There}, 1025, Opcode);
      expect(IBV_WC_SUCCESS, true, {0, 0, Here}, {0, 0, There}, 1024, Opcode);
    }
  expect(IBV_WC_SUCCESS, false, {0, 0, IBV_MTU_2048}, {0, 0, IBV_MTU_1024}, 4096, IBV_WR_RDMA_WRITE,
         IBV_QPT_UC); // it is lost
}

INSTANTIATE_TEST_SUITE_P(Schedules, Packets, testing::Bool(),
                         [](auto &Info) { return Info.param ? "Weak" : "Strong"; });

} // namespace

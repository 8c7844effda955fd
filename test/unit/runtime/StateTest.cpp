// The states of a queue pair, and what each change of them takes and gives.
#include "Nodes.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <poll.h>

namespace {

using namespace rdma::test;

class States : public testing::TestWithParam<bool> {
protected:
  Schedule schedule() const { return {GetParam(), 5}; }
};

int change(ibv_qp *Qp, ibv_qp_state To, int Mask = 0, ibv_qp_attr A = {}) {
  A.qp_state = To;
  return ibv_modify_qp(Qp, &A, IBV_QP_STATE | Mask);
}

ibv_qp_attr attributesOf(ibv_qp *Qp) {
  ibv_qp_attr A;
  ibv_qp_init_attr Init;
  CHECK(ibv_query_qp(Qp, &A, IBV_QP_STATE, &Init) == 0);
  return A;
}

bool hasEvent(const Device &D) {
  pollfd Poll = {D.Context->async_fd, POLLIN, 0};
  return poll(&Poll, 1, 0) == 1;
}

/// What is posted while the send queue is being drained waits until the queue pair sends again; whoever asked
/// for it hears when what had begun is done.
TEST_P(States, DrainedSendQueue) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t From[32], To[32];
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *Source = D.offer(From, sizeof From), *Target = D.offer(To, sizeof To);
                      Address There = addressOf(D, Qp, Target);
                      for (int I = 0; I < 31; ++I)
                        CHECK(Work(IBV_WR_RDMA_WRITE, Source, &From[I], 8, There, 8 * I).post(Qp) == 0);
                      ibv_qp_attr A = {};
                      A.en_sqd_async_notify = 1;
                      CHECK(change(Qp, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY, A) == 0);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Source, &From[31], 8, There, 8 * 31).post(Qp) == 0);
                      for (int I = 0; I < 31; ++I)
                        CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                      ibv_async_event Event;
                      CHECK(ibv_get_async_event(D.Context, &Event) == 0);
                      CHECK(Event.event_type == IBV_EVENT_SQ_DRAINED && Event.element.qp == Qp);
                      ibv_ack_async_event(&Event);
                      CHECK(attributesOf(Qp).qp_state == IBV_QPS_SQD && !attributesOf(Qp).sq_draining);
                      ibv_wc Wc;
                      for (int I = 0; I < 20000; ++I)
                        CHECK(ibv_poll_cq(D.Cq, 1, &Wc) == 0);
                      CHECK(change(Qp, IBV_QPS_RTS) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                      // Nobody asks.
                      CHECK(change(Qp, IBV_QPS_SQD) == 0 && !hasEvent(D));
                    }),
            0);
}

/// What comes first to a queue pair that does not send yet is announced, once.
TEST_P(States, CommunicationIsEstablished) {
  EXPECT_EQ(
      runRole(schedule(),
              [] {
                static uint64_t From, To;
                Device D;
                ibv_mr *Source = D.offer(&From, 8), *Target = D.offer(&To, 8);
                ibv_qp *Sends = D.queuePair(), *Waits = D.queuePair();
                Address There = addressOf(D, Waits, Target);
                connect(Sends, There);
                toInit(Waits);
                ibv_qp_attr A = {};
                A.path_mtu = IBV_MTU_1024;
                A.dest_qp_num = Sends->qp_num;
                A.ah_attr.dlid = There.Lid;
                A.ah_attr.port_num = 1;
                CHECK(change(Waits, IBV_QPS_RTR,
                             IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                             A) == 0);
                CHECK(!hasEvent(D));
                for (int I = 0; I < 3; ++I) {
                  CHECK(Work(IBV_WR_RDMA_WRITE, Source, &From, 8, There).post(Sends) == 0);
                  CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                }
                ibv_async_event Event;
                CHECK(ibv_get_async_event(D.Context, &Event) == 0);
                CHECK(Event.event_type == IBV_EVENT_COMM_EST && Event.element.qp == Waits);
                ibv_ack_async_event(&Event);
                CHECK(!hasEvent(D));
                ibv_qp *Both = loopback(D); // sends itself, so that it need not be told
                CHECK(Work(IBV_WR_RDMA_WRITE, Source, &From, 8, addressOf(D, Both, Target)).post(Both) == 0);
                CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && !hasEvent(D));
              }),
      0);
}

/// As the kernel does, which knows from which state to which each attribute may be set.
TEST(StateErrors, AttributesWithoutAMeaningAreRefused) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_qp *Qp = D.queuePair();
                      ibv_qp_attr A = {};
                      A.port_num = 1;
                      constexpr int Init = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
                      CHECK(change(Qp, IBV_QPS_INIT, Init | IBV_QP_QKEY, A) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_INIT, Init | IBV_QP_TIMEOUT, A) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_INIT, Init, A) == 0);
                      CHECK(change(Qp, IBV_QPS_RTS, Init, A) == EINVAL);
                      A.path_mtu = IBV_MTU_1024;
                      A.dest_qp_num = Qp->qp_num;
                      A.ah_attr.dlid = addressOf(D, Qp, nullptr).Lid;
                      constexpr int Receive = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                              IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
                      CHECK(change(Qp, IBV_QPS_RTR, Receive, A) == EINVAL); // the path has no port
                      A.ah_attr.port_num = 1;
                      A.max_dest_rd_atomic = 255;
                      CHECK(change(Qp, IBV_QPS_RTR, Receive, A) == EINVAL); // more than the device has
                      A.max_dest_rd_atomic = 1;
                      for (int Mtu : {0, IBV_MTU_4096 + 1}) {
                        A.path_mtu = static_cast<ibv_mtu>(Mtu);
                        CHECK(change(Qp, IBV_QPS_RTR, Receive, A) == EINVAL);
                      }
                      A.path_mtu = IBV_MTU_1024;
                      CHECK(change(Qp, IBV_QPS_RTR, Receive | IBV_QP_SQ_PSN, A) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_RTR, Receive | IBV_QP_ACCESS_FLAGS, A) == 0);
                      CHECK(change(Qp, IBV_QPS_RTR, Receive, A) == EINVAL); // it is there
                      CHECK(change(Qp, IBV_QPS_SQD) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_ERR, IBV_QP_ACCESS_FLAGS, A) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_ERR) == 0);
                      CHECK(change(Qp, IBV_QPS_INIT, Init, A) == EINVAL);
                      CHECK(change(Qp, IBV_QPS_RESET) == 0 && change(Qp, IBV_QPS_INIT, Init, A) == 0);
                    }),
            0);
}

/// A packet has five bits for a time, three for a count.
TEST(StateErrors, ValuesThatNoPacketCanCarryAreRefused) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      CHECK(change(Qp, IBV_QPS_SQD) == 0);
                      auto refused = [&](int Bit, auto Field, uint8_t Most) {
                        ibv_qp_attr A = {};
                        A.*Field = static_cast<uint8_t>(Most + 1);
                        int Above = change(Qp, IBV_QPS_SQD, Bit, A);
                        A.*Field = Most;
                        return Above == EINVAL && change(Qp, IBV_QPS_SQD, Bit, A) == 0;
                      };
                      CHECK(refused(IBV_QP_TIMEOUT, &ibv_qp_attr::timeout, 31));
                      CHECK(refused(IBV_QP_MIN_RNR_TIMER, &ibv_qp_attr::min_rnr_timer, 31));
                      CHECK(refused(IBV_QP_RETRY_CNT, &ibv_qp_attr::retry_cnt, 7));
                      CHECK(refused(IBV_QP_RNR_RETRY, &ibv_qp_attr::rnr_retry, 7));
                    }),
            0);
}

/// A target that keeps nothing for the answers of READs and atomics refuses them; it takes WRITEs.
TEST_P(States, ATargetWithoutResourcesAnswersNoReads) {
  for (auto Opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD})
    EXPECT_EQ(runRole(schedule(),
                      [Opcode] {
                        static uint64_t From, To;
                        Device D;
                        ibv_qp *Qp = loopback(D);
                        CHECK(change(Qp, IBV_QPS_SQD) == 0);
                        ibv_qp_attr A = {};
                        CHECK(change(Qp, IBV_QPS_SQD, IBV_QP_MAX_DEST_RD_ATOMIC, A) == 0);
                        CHECK(change(Qp, IBV_QPS_RTS) == 0);
                        Work W(Opcode, D.offer(&From, 8), &From, 8, addressOf(D, Qp, D.offer(&To, 8)));
                        if (Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
                          W.add(1);
                        CHECK(W.post(Qp) == 0);
                        ibv_wc_status Due =
                            Opcode == IBV_WR_RDMA_WRITE ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR;
                        CHECK(awaitCompletion(D.Cq).status == Due);
                      }),
              0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, States, testing::Bool(),
                         [](auto &Info) { return Info.param ? "Weak" : "Strong"; });

} // namespace

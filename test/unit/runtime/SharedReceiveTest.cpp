// Shared receive queues: their own protection domain, and the event that few receives are left.
#include "Nodes.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>

using namespace rdma::test;

namespace {

uint64_t Sent = 7, Received[8];

/// A queue pair that sends to itself, and receives from a shared queue of this domain.
struct Shared {
  Device D;
  ibv_pd *Domain;
  ibv_srq *Srq;
  ibv_qp *Qp;
  ibv_mr *From = D.offer(&Sent, sizeof Sent), *To;

  explicit Shared(bool OfOtherDomain = false, ibv_qp_type Type = IBV_QPT_RC)
      : Domain(OfOtherDomain ? ibv_alloc_pd(D.Context) : D.Domain) {
    ibv_srq_init_attr Queue = {};
    Queue.attr = {8, 1, 0};
    Srq = ibv_create_srq(Domain, &Queue);
    To = ibv_reg_mr(Domain, Received, sizeof Received, static_cast<int>(IBV_ACCESS_LOCAL_WRITE));
    CHECK(Srq && To);
    ibv_qp_init_attr Init = {};
    Init.send_cq = Init.recv_cq = D.Cq;
    Init.srq = Srq;
    Init.cap = {8, 0, 1, 0, 0};
    Init.qp_type = Type;
    Qp = ibv_create_qp(D.Domain, &Init);
    CHECK(Qp);
    if (Type == IBV_QPT_RC)
      connect(Qp, addressOf(D, Qp, nullptr));
  }

  void postReceive(const ibv_mr *Into) {
    ibv_sge Sge = {reinterpret_cast<uint64_t>(Received), 8, Into->lkey};
    ibv_recv_wr Wr = {0, nullptr, &Sge, 1}, *Bad;
    CHECK(ibv_post_srq_recv(Srq, &Wr, &Bad) == 0);
  }
  /// The status of the receive that the message takes.
  ibv_wc_status send() {
    CHECK(Work(IBV_WR_SEND, From, &Sent, 8, Address{}).post(Qp) == 0);
    ibv_wc One = awaitCompletion(D.Cq), Two = awaitCompletion(D.Cq);
    return One.opcode & IBV_WC_RECV ? One.status : Two.status;
  }
  bool isTold() {
    ibv_async_event Event;
    if (ibv_get_async_event(D.Context, &Event)) {
      CHECK(errno == EAGAIN);
      return false;
    }
    CHECK(Event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && Event.element.srq == Srq);
    ibv_ack_async_event(&Event);
    return true;
  }
};

class SharedReceives : public testing::TestWithParam<bool> {
protected:
  int run(void (*Role)()) { return runRole({GetParam(), 5}, Role); }
};

/// Its receives lie in memory of the domain that it was created in (ibv_create_srq(3)), whatever that of the
/// queue pair.
TEST_P(SharedReceives, LieInTheDomainOfTheQueue) {
  EXPECT_EQ(run([] {
              Shared S(true);
              S.postReceive(S.To);
              CHECK(S.send() == IBV_WC_SUCCESS && Received[0] == 7);
              S.postReceive(S.D.offer(Received, sizeof Received)); // of the queue pair's
              CHECK(S.send() == IBV_WC_LOC_PROT_ERR);
            }),
            0);
}

TEST_P(SharedReceives, OfDatagramsToo) {
  EXPECT_EQ(run([] {
              static char Buffer[sizeof(ibv_grh) + 8];
              Shared S(true, IBV_QPT_UD);
              ibv_qp_attr A = {};
              A.qp_state = IBV_QPS_INIT, A.port_num = 1, A.qkey = 3;
              CHECK(!ibv_modify_qp(S.Qp, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
              A.qp_state = IBV_QPS_RTR;
              CHECK(!ibv_modify_qp(S.Qp, &A, IBV_QP_STATE));
              A.qp_state = IBV_QPS_RTS;
              CHECK(!ibv_modify_qp(S.Qp, &A, IBV_QP_STATE | IBV_QP_SQ_PSN));
              ibv_ah_attr Itself = {};
              Itself.dlid = addressOf(S.D, S.Qp, nullptr).Lid, Itself.port_num = 1;
              ibv_mr *Mr = ibv_reg_mr(S.Domain, Buffer, sizeof Buffer, (int)IBV_ACCESS_LOCAL_WRITE);
              ibv_sge To = {reinterpret_cast<uint64_t>(Buffer), sizeof Buffer, Mr->lkey};
              ibv_recv_wr Receive = {0, nullptr, &To, 1}, *BadReceive;
              CHECK(ibv_post_srq_recv(S.Srq, &Receive, &BadReceive) == 0);
              Work W(IBV_WR_SEND, S.From, &Sent, 8, Address{});
              W.Wr.sg_list = &W.Sge, W.Wr.num_sge = 1;
              W.Wr.wr.ud = {ibv_create_ah(S.D.Domain, &Itself), S.Qp->qp_num, 3};
              ibv_send_wr *Bad;
              CHECK(ibv_post_send(S.Qp, &W.Wr, &Bad) == 0);
              CHECK(awaitCompletion(S.D.Cq).status == IBV_WC_SUCCESS);
              CHECK(awaitCompletion(S.D.Cq).status == IBV_WC_SUCCESS);
              CHECK(Buffer[sizeof(ibv_grh)] == 7);
            }),
            0);
}

/// Once each time that a limit is set, when there are fewer.
TEST_P(SharedReceives, TellWhenFewAreLeft) {
  EXPECT_EQ(run([] {
              Shared S;
              CHECK(fcntl(S.D.Context->async_fd, F_SETFL, O_NONBLOCK) == 0);
              for (int I = 0; I < 5; ++I)
                S.postReceive(S.To);
              ibv_srq_attr Limit = {};
              Limit.srq_limit = 100;
              CHECK(ibv_modify_srq(S.Srq, &Limit, IBV_SRQ_LIMIT) == EINVAL);
              Limit.srq_limit = 3;
              CHECK(ibv_modify_srq(S.Srq, &Limit, IBV_SRQ_LIMIT) == 0);
              CHECK(ibv_query_srq(S.Srq, &Limit) == 0 && Limit.srq_limit == 3);
              CHECK(S.send() == IBV_WC_SUCCESS && S.send() == IBV_WC_SUCCESS && !S.isTold());
              CHECK(S.send() == IBV_WC_SUCCESS && S.isTold());
              CHECK(ibv_query_srq(S.Srq, &Limit) == 0 && Limit.srq_limit == 0);
              CHECK(S.send() == IBV_WC_SUCCESS && !S.isTold());
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, SharedReceives, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

} // namespace

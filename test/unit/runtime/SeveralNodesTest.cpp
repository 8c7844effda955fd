// Several nodes of the fabric in one process.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

using namespace rdma::test;

namespace {

/// The first device with a queue pair to the second, in one process; each offers the words of its own.
struct Pair {
  static int count() {
    setenv("RDMA_NODES", "2", 1);
    return 256;
  }
  Device One{count(), 0}, Two{256, 1};
  ibv_qp *OneQp = One.queuePair(), *TwoQp = Two.queuePair();
  static inline uint64_t OneWords[4], TwoWords[4];
  ibv_mr *OneMr = One.offer(OneWords, sizeof OneWords), *TwoMr = Two.offer(TwoWords, sizeof TwoWords);
  Address ToOne = addressOf(One, OneQp, OneMr), ToTwo = addressOf(Two, TwoQp, TwoMr);

  Pair() {
    connect(OneQp, ToTwo);
    connect(TwoQp, ToOne);
  }
};

class SeveralNodes : public testing::TestWithParam<bool> {
protected:
  static void inOneProcess(const std::function<void()> &Body) {
    EXPECT_EQ(runRole({GetParam(), 5}, Body), 0);
  }
};

TEST_P(SeveralNodes, AreDevicesOfTheirOwn) {
  inOneProcess([] {
    Pair P;
    ibv_gid GidOne, GidTwo;
    CHECK(ibv_query_gid(P.One.Context, 1, 0, &GidOne) == 0 &&
          ibv_query_gid(P.Two.Context, 1, 0, &GidTwo) == 0);
    CHECK(GidOne.global.interface_id != GidTwo.global.interface_id);
    CHECK(P.ToOne.Lid != P.ToTwo.Lid);
    ibv_device *First = P.One.Context->device, *Second = P.Two.Context->device;
    CHECK(std::string(ibv_get_device_name(First)) == "rdma_emulated0");
    CHECK(std::string(ibv_get_device_name(Second)) == "rdma_emulated1");
    CHECK(ibv_get_device_guid(First) != ibv_get_device_guid(Second));
    CHECK(ibv_get_device_index(First) == 0 && ibv_get_device_index(Second) == 1);
  });
}

TEST_P(SeveralNodes, MoveDataBetweenThem) {
  inOneProcess([] {
    Pair P;
    P.OneWords[0] = 41, P.TwoWords[2] = 7;
    CHECK(Work(IBV_WR_RDMA_WRITE, P.OneMr, P.OneWords, 8, P.ToTwo).post(P.OneQp) == 0);
    CHECK(Work(IBV_WR_RDMA_READ, P.OneMr, P.OneWords + 1, 8, P.ToTwo).post(P.OneQp) == 0);
    CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, P.OneMr, P.OneWords + 2, 8, P.ToTwo, 16).add(5).post(P.OneQp) ==
          0);
    CHECK(
        Work(IBV_WR_ATOMIC_CMP_AND_SWP, P.OneMr, P.OneWords + 3, 8, P.ToTwo, 16).swap(12, 9).post(P.OneQp) ==
        0);
    for (int I = 0; I < 4; ++I)
      CHECK(awaitCompletion(P.One.Cq).status == IBV_WC_SUCCESS);
    CHECK(P.TwoWords[0] == 41 && P.OneWords[1] == 41);
    CHECK(P.OneWords[2] == 7 && P.OneWords[3] == 12);
    rdma_flush(P.OneQp);
    CHECK(P.TwoWords[2] == 9);
  });
}

TEST_P(SeveralNodes, SendToEachOther) {
  inOneProcess([] {
    Pair P;
    ibv_sge Sge = {reinterpret_cast<uint64_t>(P.TwoWords + 3), 8, P.TwoMr->lkey};
    ibv_recv_wr Wr = {77, nullptr, &Sge, 1}, *Bad;
    CHECK(ibv_post_recv(P.TwoQp, &Wr, &Bad) == 0);
    P.OneWords[0] = 5;
    CHECK(Work(IBV_WR_SEND, P.OneMr, P.OneWords, 8, P.ToTwo).post(P.OneQp) == 0);
    CHECK(awaitCompletion(P.One.Cq).opcode == IBV_WC_SEND);
    ibv_wc Wc = awaitCompletion(P.Two.Cq);
    CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RECV && Wc.wr_id == 77);
    CHECK(Wc.qp_num == P.TwoQp->qp_num && Wc.src_qp == P.OneQp->qp_num && Wc.slid == P.ToOne.Lid);
    CHECK(P.TwoWords[3] == 5);
  });
}

TEST_P(SeveralNodes, KeysOfOneMeanNothingToTheOther) {
  inOneProcess([] {
    Pair P;
    Address Wrong = P.ToTwo;
    Wrong.Rkey = P.OneMr->rkey, Wrong.At = P.ToOne.At;
    CHECK(Work(IBV_WR_RDMA_WRITE, P.OneMr, P.OneWords, 8, Wrong).post(P.OneQp) == 0);
    CHECK(awaitCompletion(P.One.Cq).status == IBV_WC_REM_ACCESS_ERR);
  });
  inOneProcess([] {
    Pair P;
    CHECK(Work(IBV_WR_RDMA_WRITE, P.TwoMr, P.TwoWords, 8, P.ToTwo).post(P.OneQp) == 0);
    CHECK(awaitCompletion(P.One.Cq).status == IBV_WC_LOC_PROT_ERR);
  });
}

TEST_P(SeveralNodes, ShareNoQueues) {
  inOneProcess([] {
    Pair P;
    ibv_qp_init_attr Init = {};
    Init.send_cq = P.One.Cq;
    Init.recv_cq = P.Two.Cq;
    Init.qp_type = IBV_QPT_RC;
    Init.cap = {1, 1, 1, 1, 0};
    CHECK(!ibv_create_qp(P.One.Domain, &Init) && errno == EINVAL);
    CHECK(!ibv_create_qp(P.Two.Domain, &Init) && errno == EINVAL);
  });
}

/// Registered by both: one memory, whichever node a peer comes through.
TEST_P(SeveralNodes, OfferTheSameMemory) {
  inOneProcess([] {
    Pair P;
    ibv_mr *Same = P.Two.offer(Pair::OneWords, sizeof Pair::OneWords);
    P.OneWords[0] = 3;
    Address To = addressOf(P.Two, P.TwoQp, Same);
    CHECK(Work(IBV_WR_RDMA_WRITE, P.OneMr, P.OneWords, 8, To, 8).post(P.OneQp) == 0);
    CHECK(awaitCompletion(P.One.Cq).status == IBV_WC_SUCCESS);
    rdma_flush(P.OneQp);
    CHECK(P.OneWords[1] == 3);
  });
}

/// A process with two nodes, and one with one.
TEST_P(SeveralNodes, AreReachedFromOtherProcesses) {
  auto Offers = [](Line L) {
    Pair P;
    ibv_qp *First = P.One.queuePair(), *Second = P.Two.queuePair();
    meetPeer(L, P.One, First, P.OneMr);
    meetPeer(L, P.Two, Second, P.TwoMr);
    L.meet();
    CHECK(P.OneWords[0] == 100 && P.TwoWords[0] == 200);
  };
  auto Writes = [](Line L) {
    Device D;
    static uint64_t Words[2] = {100, 200};
    ibv_mr *Mr = D.offer(Words, sizeof Words);
    ibv_qp *First = D.queuePair(), *Second = D.queuePair();
    Address ToFirst = meetPeer(L, D, First, nullptr), ToSecond = meetPeer(L, D, Second, nullptr);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Words, 8, ToFirst).post(First) == 0);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Words + 1, 8, ToSecond).post(Second) == 0);
    for (int I = 0; I < 2; ++I)
      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    rdma_flush(First), rdma_flush(Second);
    L.meet();
  };
  EXPECT_EQ(runRoles({GetParam(), 5}, Offers, Writes), (std::pair<int, int>{0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Schedules, SeveralNodes, testing::Bool(),
                         [](const auto &Which) { return Which.param ? "Weak" : "Strong"; });

} // namespace

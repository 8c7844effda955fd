// One-sided operations between two processes, at once.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace rdma::test;

namespace {

const std::pair<int, int> BothGood = {0, 0};

/// A target that offers Words and sleeps until the other role is done; then checks.
Role target(uint64_t *Words, size_t Count, std::function<void()> Afterwards = [] {}) {
  return [=](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    meetPeer(L, D, Qp, D.offer(Words, Count * sizeof *Words));
    L.meet();
    Afterwards();
  };
}

TEST(Strong, WriteAndRead) {
  static uint64_t There[4], Here[4];
  auto Poster = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, sizeof Here);
    Address To = meetPeer(L, D, Qp, Mr);
    Here[0] = 41, Here[1] = 42;
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here, 16, To, 8).post(Qp) == 0);
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RDMA_WRITE && Wc.qp_num == Qp->qp_num);
    CHECK(Work(IBV_WR_RDMA_READ, Mr, Here + 2, 16, To, 8).post(Qp) == 0);
    Wc = awaitCompletion(D.Cq);
    CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RDMA_READ && Wc.byte_len == 16);
    CHECK(Here[2] == 41 && Here[3] == 42);
    L.meet();
  };
  auto Check = [] { CHECK(There[0] == 0 && There[1] == 41 && There[2] == 42 && There[3] == 0); };
  EXPECT_EQ(runRoles({}, target(There, 4, Check), Poster), BothGood);
}

TEST(Strong, Atomics) {
  static uint64_t There[2] = {7, 100}, Here[3];
  auto Poster = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, sizeof Here);
    Address To = meetPeer(L, D, Qp, Mr);
    CHECK(Work(IBV_WR_ATOMIC_CMP_AND_SWP, Mr, Here, 8, To).swap(7, 8).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).opcode == IBV_WC_COMP_SWAP && Here[0] == 7);
    CHECK(Work(IBV_WR_ATOMIC_CMP_AND_SWP, Mr, Here + 1, 8, To).swap(7, 9).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && Here[1] == 8);
    CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, Here + 2, 8, To, 8).add(5).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).opcode == IBV_WC_FETCH_ADD && Here[2] == 100);
    L.meet();
  };
  auto Check = [] { CHECK(There[0] == 8 && There[1] == 105); };
  EXPECT_EQ(runRoles({}, target(There, 2, Check), Poster), BothGood);
}

/// Two processes draw from one counter at the same time: nothing is lost.
TEST(Strong, AtomicsOfTwoProcessesAreIndivisible) {
  static uint64_t There;
  constexpr int Draws = 20000;
  static auto Draw = [](Device &D, ibv_qp *Qp, const Address &To) {
    uint64_t Got = 0;
    ibv_mr *Mr = D.offer(&Got, sizeof Got);
    for (int I = 0; I < Draws; ++I) {
      CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Got, 8, To).add(1).post(Qp) == 0);
      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    }
  };
  auto Owner = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair(), *Self = D.queuePair();
    ibv_mr *Mr = D.offer(&There, sizeof There);
    connect(Self, addressOf(D, Self, nullptr));
    meetPeer(L, D, Qp, Mr);
    Draw(D, Self, addressOf(D, Self, Mr));
    L.meet();
    CHECK(There == 2 * Draws);
  };
  auto Other = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    Address To = meetPeer(L, D, Qp, nullptr);
    Draw(D, Qp, To);
    L.meet();
  };
  EXPECT_EQ(runRoles({}, Owner, Other), BothGood);
}

TEST(Strong, InlineListsUnsignaledAndEmpty) {
  static uint64_t There[4], Here[4] = {1, 2, 3, 4};
  auto Poster = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, sizeof Here, IBV_ACCESS_LOCAL_WRITE);
    Address To = meetPeer(L, D, Qp, Mr);
    uint64_t OnStack = 77; // inline data needs no key
    CHECK(Work(IBV_WR_RDMA_WRITE, nullptr, &OnStack, 8, To, 0, IBV_SEND_INLINE).post(Qp) == 0);
    Work Gather(IBV_WR_RDMA_WRITE, Mr, Here + 1, 8, To, 8, 0);
    ibv_sge List[2] = {Gather.Sge, Gather.Sge};
    List[1].addr += 16;
    Gather.Wr.sg_list = List;
    Gather.Wr.num_sge = 2;
    CHECK(Gather.post(Qp) == 0);
    Work Empty(IBV_WR_RDMA_WRITE, nullptr, nullptr, 0, Address{});
    Empty.Wr.num_sge = 0;
    Empty.Wr.wr_id = 5;
    CHECK(Empty.post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).wr_id == 5); // the only one that was asked for
    L.meet();
  };
  auto Check = [] { CHECK(There[0] == 77 && There[1] == 2 && There[2] == 4 && There[3] == 0); };
  EXPECT_EQ(runRoles({}, target(There, 4, Check), Poster), BothGood);
}

} // namespace

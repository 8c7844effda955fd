// What the NIC rules do, and whole operations from post to completion.
#include "TestMemory.h"

#include <gtest/gtest.h>

using namespace rdma::nic;
using enum EntryKind;

namespace {

/// Out of line: GCC 12 warns about an erase that it has inlined into a test.
[[gnu::noinline]] bool take(Queues &Q, TestMemory &M, Step S) { return apply(Q, S, M); }

/// Takes the first enabled step until none is left; returns the rules taken.
std::vector<Rule> drain(Queues &Q, TestMemory &M) {
  std::vector<Rule> Taken;
  for (auto Steps = enabledSteps(Q, !M.Locked); !Steps.empty(); Steps = enabledSteps(Q, !M.Locked)) {
    EXPECT_TRUE(take(Q, M, Steps.front()));
    Taken.push_back(Steps.front().Taken);
  }
  return Taken;
}

} // namespace

TEST(Apply, PutCarriesItsSource) {
  TestMemory M;
  M.Cells[1] = 7;
  Queues Q;
  Q.post({Put, true, {.Local = 1, .Remote = 11}});
  EXPECT_EQ(drain(Q, M), (std::vector{Rule::PutReads, Rule::PutSends, Rule::AckCompletes, Rule::PutArrives}));
  EXPECT_EQ(M.Cells[11], 7);
  EXPECT_EQ(Q.poll()->Remote, 11u);
  EXPECT_FALSE(Q.poll());
}

TEST(Apply, PolledPutNeedNotHaveArrived) {
  TestMemory M;
  Queues Q;
  Q.post({PutValue, true, {.Remote = 11, .Value = 5}});
  take(Q, M, {Rule::PutSends});
  take(Q, M, {Rule::AckCompletes});
  EXPECT_TRUE(Q.poll());
  EXPECT_EQ(M.Cells[11], 0);
  take(Q, M, {Rule::PutArrives});
  EXPECT_EQ(M.Cells[11], 5);
}

TEST(Apply, GetCompletesOnlyAfterDelivery) {
  TestMemory M;
  M.Cells[11] = 3;
  Queues Q;
  Q.post({Get, true, {.Local = 1, .Remote = 11}});
  take(Q, M, {Rule::GetReads});
  take(Q, M, {Rule::ResultReturns});
  EXPECT_FALSE(Q.poll());
  take(Q, M, {Rule::LocalWriteArrives});
  EXPECT_EQ(M.Cells[1], 3);
  EXPECT_TRUE(Q.poll());
}

TEST(Apply, SuccessfulAtomicHoldsTheLockUntilItsWriteArrives) {
  TestMemory M;
  Queues Q;
  Q.post({Atomic, true, {.Local = 1, .Remote = 11, .Expected = 0, .Desired = 9}});
  take(Q, M, {Rule::AtomicReads});
  ASSERT_EQ(Q.Pipe.size(), 2u);
  EXPECT_EQ(Q.Pipe[0].Kind, AtomicWrite);
  EXPECT_EQ(Q.Pipe[1].Kind, LocalWrite);
  EXPECT_TRUE(M.Locked);
  take(Q, M, {Rule::AtomicSends});
  EXPECT_TRUE(M.Locked);
  take(Q, M, {Rule::AtomicArrives});
  EXPECT_FALSE(M.Locked);
  EXPECT_EQ(M.Cells[11], 9);
  drain(Q, M);
  EXPECT_EQ(M.Cells[1], 0);
  EXPECT_TRUE(Q.poll());
}

TEST(Apply, FailedAtomicLeavesTheLockFree) {
  TestMemory M;
  M.Cells[11] = 4;
  Queues Q;
  Q.post({Atomic, true, {.Local = 1, .Remote = 11, .Expected = 0, .Desired = 9}});
  take(Q, M, {Rule::AtomicReads});
  EXPECT_FALSE(M.Locked);
  EXPECT_EQ(Q.Pipe.size(), 1u);
  drain(Q, M);
  EXPECT_EQ(M.Cells[11], 4);
  EXPECT_EQ(M.Cells[1], 4);
}

TEST(Apply, AtomicThatLosesTheLockChangesNothing) {
  TestMemory M;
  Queues Q;
  Q.post({Atomic, true, {.Local = 1, .Remote = 11}});
  Queues Before = Q;
  M.Locked = true;
  EXPECT_FALSE(take(Q, M, {Rule::AtomicReads}));
  EXPECT_EQ(Q, Before);
}

TEST(Apply, UnsignaledLeavesNoCompletion) {
  TestMemory M;
  Queues Q;
  for (EntryKind K : {Put, Get, Atomic})
    Q.post({K, false, {.Local = 1, .Remote = 11}});
  drain(Q, M);
  EXPECT_TRUE(Q.empty());
}

TEST(Apply, FencedRequestAndWhatFollowsWaitForTheGet) {
  TestMemory M;
  Queues Q;
  Q.post({Get, true, {.Local = 1, .Remote = 11}});
  Q.post({Put, true, {.Local = 2, .Remote = 12}}, true);
  Q.post({Get, true, {.Local = 3, .Remote = 13}});
  EXPECT_EQ(enabledSteps(Q, true), std::vector{(Step{Rule::GetReads, 0})});
  take(Q, M, {Rule::GetReads, 0});
  EXPECT_EQ(enabledSteps(Q, true), std::vector{(Step{Rule::ResultReturns, 0})});
  take(Q, M, {Rule::ResultReturns, 0});
  take(Q, M, {Rule::FenceLeaves, 0});
  EXPECT_EQ(Q.Pipe.front().Kind, Put);
}

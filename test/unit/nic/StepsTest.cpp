// The premises of the NIC rules (SYNC Fig. 21), each met and each broken.
#include "TestMemory.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace rdma::nic;
using enum EntryKind;

namespace {

Queues pipe(std::initializer_list<EntryKind> Kinds) {
  Queues Q;
  for (EntryKind K : Kinds)
    Q.Pipe.push_back({K});
  return Q;
}

bool may(const Queues &Q, Rule R, unsigned Position, bool LockFree = true) {
  auto Steps = enabledSteps(Q, LockFree);
  return std::find(Steps.begin(), Steps.end(), Step{R, Position}) != Steps.end();
}

const EntryKind Everything[] = {Put,    PutValue,    Ack,   Get,         LocalWrite,
                                Atomic, AtomicWrite, Fence, RequestFence};

/// Checks which single older entry lets the entry Later take rule R.
void expectPassable(EntryKind Later, Rule R, std::initializer_list<EntryKind> Passable) {
  for (EntryKind Older : Everything) {
    bool Expected = std::count(Passable.begin(), Passable.end(), Older) > 0;
    EXPECT_EQ(may(pipe({Older, Later}), R, 1), Expected)
        << "rule " << int(R) << " past entry kind " << int(Older);
  }
  EXPECT_TRUE(may(pipe({Later}), R, 0));
}

} // namespace

TEST(Steps, FenceWaitsForEverythingOlder) { expectPassable(Fence, Rule::FenceLeaves, {}); }

TEST(Steps, RequestFenceWaitsForGetsAndAtomics) {
  expectPassable(RequestFence, Rule::FenceLeaves, {Put, PutValue, Ack, Fence, RequestFence});
}

TEST(Steps, PutReadsPastEverythingButPutsAndFences) {
  expectPassable(Put, Rule::PutReads, {PutValue, Ack, Get, LocalWrite, Atomic, AtomicWrite});
}

TEST(Steps, PutReadWaitsForLocalWrites) {
  Queues Q = pipe({Put});
  Q.ToLocal = {{Completion}};
  EXPECT_TRUE(may(Q, Rule::PutReads, 0));
  Q.ToLocal.push_back({LocalWrite});
  EXPECT_FALSE(may(Q, Rule::PutReads, 0));
}

TEST(Steps, RemoteSidePassesGetsAndAcks) {
  expectPassable(PutValue, Rule::PutSends, {Ack, Get, LocalWrite});
  expectPassable(Get, Rule::GetReads, {Ack, Get, LocalWrite});
  expectPassable(Atomic, Rule::AtomicReads, {Ack, Get, LocalWrite});
  expectPassable(AtomicWrite, Rule::AtomicSends, {Ack, Get, LocalWrite});
}

TEST(Steps, RemoteReadsWaitForRemoteWrites) {
  for (auto [Kind, R] : {std::pair(Get, Rule::GetReads), std::pair(Atomic, Rule::AtomicReads)}) {
    Queues Q = pipe({Kind});
    Q.ToRemote = {{PutValue}};
    EXPECT_FALSE(may(Q, R, 0));
  }
  Queues Q = pipe({PutValue});
  Q.ToRemote = {{PutValue}};
  EXPECT_TRUE(may(Q, Rule::PutSends, 0));
}

TEST(Steps, AtomicReadNeedsTheLock) {
  EXPECT_FALSE(may(pipe({Atomic}), Rule::AtomicReads, 0, false));
  EXPECT_TRUE(may(pipe({Get}), Rule::GetReads, 0, false));
}

TEST(Steps, CompletionsLeaveThePipeInOrder) {
  expectPassable(Ack, Rule::AckCompletes, {});
  expectPassable(LocalWrite, Rule::ResultReturns, {});
}

TEST(Steps, OnlyTheOldestWriteArrives) {
  Queues Q;
  Q.ToRemote = {{AtomicWrite}, {PutValue}};
  EXPECT_EQ(enabledSteps(Q, true), std::vector{(Step{Rule::AtomicArrives, 0})});
  Q.ToRemote = {{PutValue}, {AtomicWrite}};
  EXPECT_EQ(enabledSteps(Q, true), std::vector{(Step{Rule::PutArrives, 0})});
  Q.ToRemote.clear();
  Q.ToLocal = {{Completion}, {LocalWrite}, {LocalWrite}};
  EXPECT_EQ(enabledSteps(Q, true), std::vector{(Step{Rule::LocalWriteArrives, 1})});
}

TEST(Steps, NothingIsEnabledWhenQuiet) {
  Queues Q;
  EXPECT_TRUE(Q.empty());
  Q.ToLocal = {{Completion}};
  EXPECT_TRUE(Q.quiet());
  EXPECT_TRUE(enabledSteps(Q, true).empty());
}

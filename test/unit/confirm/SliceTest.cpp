// What a slice keeps of a program.
#include "analyzer/confirm/Slice.h"

#include "analyzer/confirm/Atoms.h"
#include "analyzer/confirm/Confirm.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/report/Explain.h"
#include "ir/Litmus.h"
#include "ir/ThreadBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace rdma;

namespace {

using enum OperationKind;

constexpr ObjectId Ring = 0, Flag = 1, Page = 2;

/// One thread on node 0, with memory for 16 bytes there ('ring') and on node 1 ('page'), and a flag.
struct Small {
  Program P;
  Small() {
    P.Nodes = {{"a"}, {"b"}};
    P.Objects = {{.Name = "ring"}, {.Name = "flag"}, {.Name = "page", .Home = 1}};
    P.QueuePairs = {{0, 1, "qp", 0}};
    P.Threads = {{.Name = "t"}};
  }
  void run(std::initializer_list<Operation> Ops) {
    ThreadBuilder B(P.Threads[0]);
    for (const Operation &Op : Ops)
      B.add(Op, {});
  }
  Slice cut() const {
    Verdict V = decide(P, Model::RdmaTso);
    return slice(P, V.LocalRaces.at(0), SliceOf::Cycle).value();
  }
  bool confirmed() const {
    std::vector<Finding> Findings = explain(P, decide(P, Model::RdmaTso));
    confirm(Findings, P, Model::RdmaTso, {.Timeout = std::chrono::seconds(5)}, true);
    return std::any_of(Findings.begin(), Findings.end(), [](auto &F) { return F.Shown->confirmed(); });
  }
};

Operation put(Access From, Access To) { return {.Kind = Put, .Local = From, .Remote = To, .Pair = 0}; }
Operation store(Access To) { return {.Kind = Store, .Local = To}; }
Operation test(Access Of, std::int64_t Value) { return {.Kind = Assume, .Local = Of, .Constant = Value}; }

std::vector<const Operation *> operations(const Slice &S) {
  std::vector<const Operation *> Ops;
  for (const Statement &St : S.Code.Threads[0].Statements)
    if (St.Op.Kind != Nop)
      Ops.push_back(&St.Op);
  return Ops;
}

} // namespace

TEST(Slice, KeepsTheBytesOfTheConflictAlone) {
  Small S;
  S.run({store({Ring, 8, 16}), put({Ring, 0, 16}, {Page, 0, 16}), store({Ring, 0, 8})});
  Slice Part = S.cut();
  auto Ops = operations(Part);
  ASSERT_EQ(Ops.size(), 2u) << "the store to other bytes is gone";
  EXPECT_EQ(Ops[0]->Kind, Put);
  EXPECT_EQ(Ops[0]->Local, Ops[1]->Local);
  EXPECT_TRUE(Ops[0]->Local.whole());
  EXPECT_TRUE(Part.Code.Objects[Ops[0]->Remote.Target].Fresh) << "nobody looks at what arrives";
  EXPECT_TRUE(S.confirmed());
}

TEST(Slice, MovesSeveralPartsByARequestForEach) {
  Small S;
  S.run({test({Ring, 8, 16}, 0), put({Ring, 0, 16}, {Page, 0, 16}), store({Ring, 0, 8})});
  auto Part = S.cut();
  auto Ops = operations(Part);
  ASSERT_EQ(Ops.size(), 4u);
  EXPECT_TRUE(Ops[1]->Unsignaled);
  EXPECT_FALSE(Ops[2]->Unsignaled) << "one request leaves one completion";
  EXPECT_NE(Ops[1]->Local, Ops[2]->Local);
}

TEST(Slice, KeepsWhatRequestsDoToTheirQueuePair) {
  Small S;
  S.run({put({Flag, 0, 8}, {Page, 8, 16}),
         put({Ring, 0, 8}, {Page, 0, 8}),
         {.Kind = Poll, .Queue = 0},
         store({Ring, 0, 8})});
  EXPECT_EQ(operations(S.cut()).size(), 4u) << "the poll takes the first completion";
  EXPECT_TRUE(S.confirmed());
}

TEST(Slice, KeepsTheFenceOfAnUpdateThatNobodyLooksAt) {
  Program P = parseLitmus("litmus \"sb\" node 1 { x; y; a; b; z; r; }\n"
                          "thread 1 @ 1 { x := 1; r := cas(z, 0, 1); a := y; }\n"
                          "thread 2 @ 1 { y := 1; b := x; }\n",
                          "sb.litmus")
                  .Code;
  EventRef Write{0, 1, EventKind::lW, {0}, None}, Read{0, 3, EventKind::lR, {1}, None};
  Violation V{Rule::CriticalCycle, Write, Read,
              Observers({EventRef{1, 1, EventKind::lW, {1}, None}, EventRef{1, 2, EventKind::lR, {0}, None}}),
              false};
  Slice Part = slice(P, V, SliceOf::Cycle).value();
  auto Ops = operations(Part);
  EXPECT_TRUE(std::any_of(Ops.begin(), Ops.end(), [](auto *Op) { return Op->Kind == MemoryFence; }));
}

TEST(Slice, FollowsValuesThroughRequests) {
  Access Target{Page, 0, 16}, Source{Ring, 32, 48};
  EXPECT_EQ(Atoms::source({Page, 8, 16}, Target, Source), (Access{Ring, 40, 48}));
  EXPECT_EQ(Atoms::source({Page, 8, 16}, Target, {Ring}), Access{Ring}) << "who knows which part";
}

TEST(Slice, AThreadThatServesForEverMayBeLookedAt) {
  Small S;
  S.run({put({Ring, 0, 8}, {Page, 0, 8}), store({Ring, 0, 8})});
  auto &Statements = S.P.Threads[0].Statements;
  Statements.back().Successors = {S.P.Threads[0].Entry};
  EXPECT_TRUE(S.confirmed());
}

TEST(Atoms, AreCutWhereAccessesBeginAndEnd) {
  Small S;
  Atoms A(S.P, {true});
  A.add({Ring, 0, 16});
  A.add({Ring, 8, 24});
  A.add({Ring, 40, 48});
  EXPECT_EQ(A.of({Ring}), (std::vector<Access>{{Ring, 0, 8}, {Ring, 8, 16}, {Ring, 16, 24}, {Ring, 40, 48}}));
  EXPECT_EQ(A.of({Ring, 10, 20}), (std::vector<Access>{{Ring, 8, 16}, {Ring, 16, 24}}));
  EXPECT_TRUE(A.of({Flag}).empty());
}

TEST(Atoms, APieceIsTakenWholeOrNotAtAll) {
  Small S;
  S.run({store({Ring, 8, 16}), put({Ring, 0, 16}, {Page, 0, 16})});
  Atoms A(S.P, {true});
  EXPECT_EQ(A.piece({Ring, 0, 16}), (Access{Ring, 0, 8}));
  EXPECT_EQ(A.piece({Ring, 8, 16}), (Access{Ring, 8, 16}));
  EXPECT_EQ(A.piece({Page, 0, 16}), (Access{Page, 0, 16}));
}

TEST(Slice, TakesNoConflictForOneOfOtherBytes) {
  // Both stores meet the put's source, but the finding about one is not shown by the other.
  Small S;
  S.run({put({Ring, 0, 16}, {Page, 0, 16}), store({Ring, 0, 8}), store({Ring, 8, 16})});
  Verdict V = decide(S.P, Model::RdmaTso);
  ASSERT_EQ(V.LocalRaces.size(), 2u);
  for (const Violation &Race : V.LocalRaces) {
    Slice Part = slice(S.P, Race, SliceOf::Cycle).value();
    EXPECT_EQ(operations(Part).size(), 2u);
  }
}

TEST(Atoms, WhatIsChangedInOnePieceStaysOnePiece) {
  Small S;
  S.run({{.Kind = LocalRmw, .Local = {Ring, 0, 8}}});
  Atoms A(S.P, {true});
  A.add({Ring, 0, 4});
  A.add({Ring, 4, 16});
  ASSERT_TRUE(A.close());
  EXPECT_EQ(A.of({Ring}), (std::vector<Access>{{Ring, 0, 16}}));
}

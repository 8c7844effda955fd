#include "rewriter/plan/Plan.h"

#include "ir/Litmus.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/plan/HittingSet.h"
#include "rewriter/plan/OptionalGraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <utility>

using namespace rdma;

namespace {

Program program(const std::string &Body) {
  return parseLitmus("litmus \"t\" node 1 { x; a; b; r; } node 2 { y; } node 3 { z; }\n" + Body, "t").Code;
}

std::vector<Remedy> remedies(const std::string &Body) {
  std::vector<Remedy> Found;
  for (const PlannedEdit &E : plan(program(Body), Model::RdmaTso).Edits)
    Found.push_back(E.What);
  return Found;
}

TEST(Plan, RepairsEveryPaperTestThatARemedyCanRepair) {
  unsigned Repaired = 0, Left = 0;
  for (auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus")) {
    if (Entry.path().extension() != ".litmus")
      continue;
    Program P = readLitmus(Entry.path().string()).Code;
    Verdict Before = decide(P, Model::RdmaTso);
    Plan Fix = plan(P, Model::RdmaTso);
    EXPECT_EQ(Before.robust(), Fix.Edits.empty() && Fix.Left.empty()) << Entry.path();
    // Only a mix of atomics and plain writes has no remedy in these programs.
    for (const Violation &V : Fix.Left)
      EXPECT_EQ(V.Broken, Rule::Atomics) << Entry.path();
    if (Fix.Left.empty())
      EXPECT_TRUE(decide(applied(P, Fix.Edits), Model::RdmaTso).robust()) << Entry.path();
    Repaired += !Fix.Edits.empty() && Fix.Left.empty();
    Left += !Fix.Left.empty();
  }
  EXPECT_GT(Repaired, 30u);
  EXPECT_GT(Left, 0u);
}

TEST(Plan, TakesTheCheapestRemedy) {
  using enum Remedy;
  using List = std::vector<Remedy>;
  EXPECT_EQ(remedies("thread 1 @ 1 { put y <- x; x := 1; }"), List{Poll});
  EXPECT_EQ(remedies("thread 1 @ 1 { get x <- y; put z <- x; }"), List{Poll})
      << "another queue pair: no fence helps";
  EXPECT_EQ(remedies("thread 1 @ 1 { get a <- y; put y <- x; }"), List{RemoteFence});
  EXPECT_EQ(remedies("thread 1 @ 1 { get x <- y; put y <- x inline; }"), List{Poll}) << "read by the CPU";
  EXPECT_EQ(remedies("thread 1 @ 1 { put x <- a; poll(1); b := x; }"), List{PolledGet});
  EXPECT_EQ(remedies("thread 1 @ 1 { x := 1; a := b; }"), List{});
}

TEST(Plan, OneRemedyServesSeveralPairs) {
  Plan Fix =
      plan(program("thread 1 @ 1 { put y <- x; put z <- x; put y <- a; x := 1; a := 1; }"), Model::RdmaTso);
  EXPECT_TRUE(Fix.Left.empty());
  EXPECT_LE(Fix.Edits.size(), 2u) << "one wait for each queue pair";
}

TEST(Plan, WaitsForSeveralQueuePairsAtOnce) {
  Program P = program("thread 1 @ 1 { put y <- x; put z <- x; x := 1; }");
  Plan Fix = plan(P, Model::RdmaTso);
  ASSERT_EQ(Fix.Edits.size(), 2u);
  EXPECT_EQ(Fix.cost(), 11) << "a wait, and one more request";
  EXPECT_EQ(Fix.LowerBound, 11);
  Program Fixed = applied(P, Fix.Edits);
  EXPECT_TRUE(decide(Fixed, Model::RdmaTso).robust());
  EXPECT_EQ(completionPlaces(Fixed, 0).Awaited, 1u);
  EXPECT_EQ(takenFromProgram(P, Fixed), "");
}

TEST(Plan, WhatAnOrderElsewhereHidesNeedsNoneOfItsOwn) {
  // Who has seen `b` comes behind both READs of `y` once the wait is there: nobody looks in between.
  const std::string Two = "thread 1 @ 1 { get a <- y; get x <- y; get b <- x; }";
  Plan Found = plan(program(Two + "thread 2 @ 1 { assume(b == 1); rcas r <- y (1, 1); }"), Model::RdmaTso);
  ASSERT_EQ(Found.Edits.size(), 1u);
  EXPECT_EQ(Found.Edits[0].What, Remedy::Poll);
  EXPECT_EQ(Found.LowerBound, 10);
}

TEST(Plan, PlacesOfTheirOwnCostMore) {
  Program P = program("thread 1 @ 1 { put y <- x; x := 1; put z <- a; a := 1; }");
  EXPECT_EQ(plan(P, Model::RdmaTso).cost(), 20);
  PlanOptions Dear;
  Dear.Prices.Further = 25;
  EXPECT_EQ(plan(program("thread 1 @ 1 { put y <- x; put z <- x; x := 1; }"), Model::RdmaTso, Dear).cost(),
            20)
      << "no more than a wait of its own";
}

TEST(Plan, OrderEverywhereCostsAFenceWhereALoadMayOvertakeAStore) {
  auto Naive = [](const std::string &Body, Model M = Model::RdmaTso) {
    return naiveCost(program(Body + " thread 2 @ 1 { a := x; x := a; b := 1; }"), M, {});
  };
  EXPECT_EQ(Naive("thread 1 @ 1 { x := 1; a := b; }"), 2 + 2) << "in both threads";
  EXPECT_EQ(Naive("thread 1 @ 1 { x := 1; a := b; }", Model::RdmaSc), 0);
  EXPECT_EQ(Naive("thread 1 @ 1 { x := 1; put y <- x; a := b; }"), 20 + 2) << "the wait is a fence";
  EXPECT_EQ(Naive("thread 1 @ 1 { x := 1; mfence; a := b; }"), 2);
  EXPECT_EQ(Naive("thread 1 @ 1 { get x <- y; }"), 10) << "nobody else looks at a";
}

/// Against all choices.
TEST(HittingSet, CommonCostsArePaidOnce) {
  std::mt19937 Random(7);
  for (unsigned Round = 0; Round < 300; ++Round) {
    constexpr unsigned Elements = 8;
    Prices Costs;
    for (unsigned X = 0; X < Elements; ++X)
      Costs.Each.push_back(1 + Random() % 5);
    Costs.Shared = {{double(Random() % 10), {0, 1, 2}}, {double(Random() % 10), {3, 5}}};
    std::vector<Clause> Clauses;
    for (unsigned C = 0; C < 1 + Random() % 5; ++C) {
      Clause New = {unsigned(Random() % 4), unsigned(4 + Random() % 4)};
      Clauses.push_back(Random() % 2 ? New : Clause{New[Random() % 2]});
    }
    auto CostOf = [&](unsigned Set) {
      double Sum = 0;
      for (unsigned X = 0; X < Elements; ++X)
        Sum += Set >> X & 1 ? Costs.Each[X] : 0;
      for (const Prices::Common &Shared : Costs.Shared)
        Sum += std::any_of(Shared.Of.begin(), Shared.Of.end(), [&](unsigned X) { return Set >> X & 1; })
                   ? Shared.Cost
                   : 0;
      return Sum;
    };
    auto Hits = [&](unsigned Set) {
      return std::all_of(Clauses.begin(), Clauses.end(), [&](const Clause &C) {
        return std::any_of(C.begin(), C.end(), [&](unsigned X) { return Set >> X & 1; });
      });
    };
    double Least = 1e9;
    for (unsigned Set = 0; Set < 1u << Elements; ++Set)
      Least = Hits(Set) ? std::min(Least, CostOf(Set)) : Least;
    auto SetOf = [](const HittingSet &H) {
      unsigned Set = 0;
      for (unsigned X : H.Chosen)
        Set |= 1u << X;
      return Set;
    };
    HittingSet Exact = cheapestHittingSet(Clauses, Costs, 10), Greedy = greedyHittingSet(Clauses, Costs);
    ASSERT_TRUE(Hits(SetOf(Exact)) && Hits(SetOf(Greedy)));
    ASSERT_NEAR(CostOf(SetOf(Exact)), Least, 1e-6);
    ASSERT_NEAR(Exact.LowerBound, Least, 1e-6);
    ASSERT_GE(CostOf(SetOf(Greedy)), Least - 1e-6);
  }
}

TEST(Plan, ReachesAroundALoop) {
  Program P = program("thread 1 @ 1 { loop { x := 1; put y <- x; } }");
  Plan Fix = plan(P, Model::RdmaTso);
  ASSERT_EQ(Fix.Edits.size(), 1u);
  EXPECT_EQ(Fix.Edits[0].Cost, 100) << "a wait, in a loop";
  EXPECT_TRUE(decide(applied(P, Fix.Edits), Model::RdmaTso).robust());
}

TEST(Plan, AnInsertedWaitStealsNoCompletion) {
  // The program's own poll is for the second put; the inserted wait must not use it up.
  Program P = program("thread 1 @ 1 { put y <- x; x := 1; put y <- a; poll(2); poll(2); a := 1; }");
  Plan Fix = plan(P, Model::RdmaTso);
  EXPECT_EQ(Fix.Edits.size(), 1u);
  EXPECT_TRUE(decide(applied(P, Fix.Edits), Model::RdmaTso).robust());
}

TEST(Plan, PlansAroundWhatCannotBeEdited) {
  Program P = program("thread 1 @ 1 { get a <- y; put y <- x; }");
  Plan First = plan(P, Model::RdmaTso);
  ASSERT_EQ(First.Edits.size(), 1u);
  PlanOptions NoFence;
  NoFence.Editable = [](const PlannedEdit &E) { return E.What != Remedy::RemoteFence; };
  Plan Second = plan(P, Model::RdmaTso, NoFence);
  ASSERT_EQ(Second.Edits.size(), 1u);
  EXPECT_EQ(Second.Edits[0].What, Remedy::Poll);
}

TEST(Plan, NothingStandsBetweenTheHalvesOfOneRequest) {
  Plan Fix = plan(program("thread 1 @ 1 { rfaa x <- x (1); }"), Model::RdmaTso);
  EXPECT_TRUE(Fix.Edits.empty());
  EXPECT_FALSE(Fix.Left.empty());
}

/// The source places of statements that write x come from a function, which is called in one place.
void place(Program &P, const std::vector<std::string> &Functions) {
  std::size_t Next = 0;
  for (Statement &S : P.Threads[0].Statements)
    if (isRequest(S.Op.Kind))
      S.Where.Chain = {{"a.c", 9, 3, "main"}};
    else if (S.Op.Kind == OperationKind::Store)
      S.Where.Chain = {{"a.c", 2, 3, Functions[Next++ % Functions.size()]}, {"a.c", 10, 3, "main"}};
}

PlanOptions inSource() {
  PlanOptions O;
  O.Junctions = false;
  return O;
}

TEST(Plan, AnEditIsPlannedOnceForEachQueuePairOfAPost) {
  // Which of two queue pairs it is posted on is not known; what the later operation is in was unrolled.
  Program P = program("thread 1 @ 1 { choose { put y <- x; } or { put z <- x; } x := 1; x := 2; x := 3; }");
  place(P, {"fill"});
  PlanOptions O = inSource();
  std::multiset<std::pair<QueuePairId, Remedy>> Waits;
  for (const PlannedEdit &E : candidates(P, toRepair(P, decide(P, Model::RdmaTso)), O))
    if (E.How == PlannedEdit::Stand::Before && E.Level == 0)
      Waits.insert({E.Why.First.Pair, E.What});
  EXPECT_EQ(Waits.size(), 4u) << "a wait and a flush of either";
  EXPECT_EQ(std::set(Waits.begin(), Waits.end()).size(), 4u);
}

TEST(Plan, WhatStandsInATemplateStandsInAllOfItsInstances) {
  Program P = program("thread 1 @ 1 { put y <- x; x := 1; put y <- x; x := 2; }");
  place(P, {"fill<1>", "fill<2>"});
  for (Statement &S : P.Threads[0].Statements)
    if (S.Op.Kind == OperationKind::Store) // the edit may stand in the function only
      S.Where.Chain.back() = {"a.c", 9, 3, "main"};
  Plan Fix = plan(P, Model::RdmaTso, inSource());
  ASSERT_EQ(Fix.Edits.size(), 1u);
  EXPECT_EQ(copiesOf(P, Fix.Edits[0]).size(), 2u);
}

/// Without the clause the pair stays open, and any one of it closes it: so says the definition, however many
/// candidates were tried at a time.
void expectClauses(const std::string &Body) {
  const Program P = program(Body);
  const std::vector<Violation> Required = toRepair(P, decide(P, Model::RdmaTso));
  const std::vector<PlannedEdit> Choices = candidates(P, Required, {});
  OptionalGraph Graph(P, Choices, Model::RdmaTso, Required);
  for (unsigned R = 0; R < Required.size(); ++R) {
    Graph.choose({});
    const Clause Needed = Graph.clause(R);
    std::vector<unsigned> Others;
    for (unsigned C = 0; C < Choices.size(); ++C)
      if (!std::binary_search(Needed.begin(), Needed.end(), C))
        Others.push_back(C);
    ASSERT_FALSE(Needed.empty()) << Body;
    Graph.choose(Others);
    EXPECT_EQ(Graph.open({R}).size(), 1u) << Body;
    for (unsigned C : Needed) {
      std::vector<unsigned> With = Others;
      With.push_back(C);
      Graph.choose(With);
      EXPECT_TRUE(Graph.open({R}).empty()) << Body << describe(P, Choices[C]);
    }
  }
}

TEST(OptionalGraph, AClauseIsWhatOneOfIsNeeded) {
  expectClauses("thread 1 @ 1 { put y <- x; x := 1; }");
  expectClauses("thread 1 @ 1 { get a <- y; put y <- b; put y <- x; get x <- y; }");
  std::string Ways; // of which each has places of its own
  for (unsigned Way = 0; Way < 9; ++Way)
    Ways += "choose { put z <- b; } or { loop { put y <- r; } } ";
  expectClauses("thread 1 @ 1 { put y <- x; " + Ways + "x := 1; }");
  expectClauses("thread 1 @ 1 { loop { put y <- x; choose { get a <- y; } or { } x := 1; } a := 1; }");
}

TEST(Completions, AWaitTakesItsOwn) {
  Program Before = program("thread 1 @ 1 { put y <- x; x := 1; poll(1); }");
  Program After = applied(Before, plan(Before, Model::RdmaTso).Edits);
  EXPECT_EQ(takenFromProgram(Before, After), "");
  EXPECT_EQ(completionPlaces(After, 0).Awaited, 1u);

  // A poll in the place of the wait would take what the program's own poll waits for.
  Program Stolen = After;
  for (Statement &S : Stolen.Threads[0].Statements)
    if (S.Op.Kind == OperationKind::Wait)
      S.Op = {.Kind = OperationKind::Poll, .Queue = 0};
  EXPECT_NE(takenFromProgram(Before, Stolen), "");

  // A wait without its request.
  Program Lone = After;
  for (Statement &S : Lone.Threads[0].Statements)
    if (S.Op.Kind == OperationKind::Put && S.Op.Id != None)
      S.Op = {};
  EXPECT_NE(takenFromProgram(Before, Lone), "");
}

} // namespace

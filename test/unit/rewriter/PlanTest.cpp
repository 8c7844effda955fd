#include "rewriter/plan/Plan.h"

#include "ir/Litmus.h"
#include "rewriter/plan/Completions.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace rdma;

namespace {

Program program(const std::string &Body) {
  return parseLitmus("litmus \"t\" node 1 { x; a; b; } node 2 { y; } node 3 { z; }\n" + Body, "t").Code;
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

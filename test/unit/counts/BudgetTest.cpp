// The budget of counting: answers, and costs that a second run has, too.
#include "analyzer/clang/counts/Budget.h"

#include <gtest/gtest.h>

using namespace rdma::clang_ir;

namespace {

/// So many numbers between 1 and Most, all of them different.
z3::check_result askApart(Budget &Cost, int Count, int Most) {
  z3::context Context;
  z3::solver Solver(Context);
  z3::expr_vector All(Context);
  for (int I = 0; I < Count; ++I) {
    All.push_back(Context.int_const(("n" + std::to_string(I)).c_str()));
    Solver.add(All.back() >= 1 && All.back() <= Most);
  }
  Solver.add(z3::distinct(All));
  return Cost.ask(Solver);
}

unsigned questionsUntilSpent(Budget Cost) {
  unsigned Count = 0;
  for (; !Cost.spent() && Count < 10'000; ++Count)
    askApart(Cost, 6, 5);
  return Count;
}

TEST(Budget, PassesOnWhatTheSolverSays) {
  Budget Cost;
  EXPECT_EQ(askApart(Cost, 5, 5), z3::sat);
  EXPECT_EQ(askApart(Cost, 6, 5), z3::unsat);
  EXPECT_FALSE(Cost.spent());
}

TEST(Budget, IsSpentAfterTheSameQuestions) {
  const unsigned Few = questionsUntilSpent(Budget(100'000, 1000));
  EXPECT_GT(Few, 1u);
  EXPECT_EQ(questionsUntilSpent(Budget(100'000, 1000)), Few);
  EXPECT_GT(questionsUntilSpent(Budget(1'000'000, 1000)), Few);
}

TEST(Budget, EndsInTimeToo) { EXPECT_TRUE(Budget(1, -1).spent()); }

} // namespace

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

/// The factors of a product of two large primes: hours.
TEST(Budget, BreaksOffAQuestion) {
  z3::context Context;
  z3::solver Solver(Context);
  const z3::expr A = Context.int_const("a"), B = Context.int_const("b");
  Solver.add(A > 1 && B > 1 && A * B == Context.int_val("1000000016000000063"));
  Budget Cost(100'000'000'000, 0.2);
  EXPECT_EQ(Cost.ask(Solver), z3::unknown);
  EXPECT_TRUE(Cost.spent());
  Budget Next;
  EXPECT_EQ(askApart(Next, 5, 5), z3::sat);
}

TEST(Budget, EndsInTimeToo) { EXPECT_TRUE(Budget(1, -1).spent()); }

} // namespace

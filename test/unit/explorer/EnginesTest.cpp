// Two engines that share nothing but the order tables must agree, and the reduction must lose nothing.
#include "Properties.h"

#include <gtest/gtest.h>

using namespace rdma;
using namespace rdma::test;

namespace {

void expectHolds(std::uint64_t First, std::uint64_t Count, const Shape &S, const Property &P) {
  auto Found = search(First, Count, S, P);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
}

} // namespace

TEST(Engines, AgreeOnOutcomesAndRobustness) {
  expectHolds(1, 3000, {.MaxThreads = 2, .MaxStatements = 3}, enginesAgree);
  expectHolds(10000, 200, {.MinThreads = 3, .MaxThreads = 3, .MaxStatements = 2}, enginesAgree);
  expectHolds(20000, 100, {.MaxThreads = 2, .MaxStatements = 3, .Choices = true}, enginesAgree);
}

TEST(Engines, ReductionLosesNothing) {
  expectHolds(1, 400, {.MaxThreads = 2, .MaxStatements = 3}, reductionLosesNothing);
  expectHolds(20000, 200, {.MaxThreads = 2, .MaxStatements = 2, .Choices = true}, reductionLosesNothing);
}

TEST(Engines, RobustProgramsHaveOnlyTheOutcomesOfSequentialConsistency) {
  expectHolds(1, 2000, {.MaxStatements = 3}, robustMeansSameOutcomes);
}

// Two engines that share nothing but the order tables must agree, and the reduction must lose nothing.
#include "Expect.h"

using namespace rdma;
using namespace rdma::test;

TEST(Engines, AgreeOnOutcomesAndRobustness) {
  expectHolds(1, 3000, {.MaxThreads = 2, .MaxStatements = 3}, enginesAgree);
  expectHolds(10000, 200, {.MinThreads = 3, .MaxThreads = 3, .MaxStatements = 2}, enginesAgree);
  expectHolds(20000, 100, {.MaxThreads = 2, .MaxStatements = 3, .Choices = true}, enginesAgree);
  expectHolds(30000, 500, {.MaxThreads = 2, .MaxStatements = 4, .Mixed = true}, enginesAgree);
  expectHolds(60000, 1000, {.MaxThreads = 2, .MaxStatements = 4, .Pairs = true}, enginesAgree);
}

TEST(Engines, AgreeOnLoops) {
  auto Agree = [](const RandomProgram &P) { return enginesAgreeOnLoops(P, 2); };
  expectHolds(40000, 300, {.MaxThreads = 2, .MaxStatements = 2, .Loops = true}, Agree);
  EXPECT_GT(Seen.Rounds, 20u);
  expectHolds(50000, 100, {.MaxThreads = 2, .MaxStatements = 3, .Choices = true, .Loops = true}, Agree);
}

TEST(Engines, ReductionLosesNothing) {
  expectHolds(1, 400, {.MaxThreads = 2, .MaxStatements = 3}, reductionLosesNothing);
  expectHolds(20000, 200, {.MaxThreads = 2, .MaxStatements = 2, .Choices = true}, reductionLosesNothing);
  expectHolds(60000, 400, {.MaxThreads = 2, .MaxStatements = 3, .Pairs = true}, reductionLosesNothing);
}

TEST(Engines, RobustProgramsHaveOnlyTheOutcomesOfSequentialConsistency) {
  expectHolds(1, 2000, {.MaxStatements = 3}, robustMeansSameOutcomes);
}

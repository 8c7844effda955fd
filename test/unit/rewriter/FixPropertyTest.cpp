// Fixes of random programs; fix-run does the same at length.
#include "FixProperty.h"
#include "Properties.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace rdma::test;

static void expectSoundFixes(std::uint64_t First, std::uint64_t Count, const Shape &S) {
  FixesSeen = {};
  auto Found = search(First, Count, S, fixIsSound);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
  std::cout << describe(FixesSeen);
  EXPECT_GT(FixesSeen.Fixed, Count / 4) << "few programs were fixed";
  EXPECT_GT(FixesSeen.Compared, Count / 50) << "few plans were compared with all choices";
}

TEST(FixProperty, StraightLines) { expectSoundFixes(1, 150, {}); }
TEST(FixProperty, FlagsAndChoices) { expectSoundFixes(1000, 100, {.FlagPercent = 25, .Choices = true}); }
TEST(FixProperty, Loops) { expectSoundFixes(2000, 60, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true}); }
TEST(FixProperty, OwnPollsAndWaits) {
  expectSoundFixes(3000, 100, {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Mixed = true});
}

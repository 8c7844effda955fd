// The conditions against the truth, on random programs.
#include "Properties.h"

#include <gtest/gtest.h>

using namespace rdma;
using namespace rdma::test;

namespace {

void expectSound(std::uint64_t First, std::uint64_t Count, const Shape &S) {
  std::uint64_t Before = ProvedRobust;
  auto Found = search(First, Count, S, conditionsAreSound);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
  EXPECT_GT(ProvedRobust - Before, Count / 4) << "few programs met the premises";
}

} // namespace

TEST(Soundness, StraightLinePrograms) { expectSound(1, 8000, {}); }
TEST(Soundness, LongerThreads) { expectSound(100000, 2000, {.MaxStatements = 6}); }
TEST(Soundness, WithChoices) { expectSound(200000, 3000, {.Choices = true}); }
TEST(Soundness, LockWords) {
  expectSound(400000, 3000, {.MaxThreads = 2, .MaxStatements = 2, .Locks = true});
}
TEST(Soundness, WithLoops) {
  expectSound(300000, 1500, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true});
}

TEST(Soundness, RandomProgramsAreReproducibleAndShrink) {
  EXPECT_EQ(randomProgram(7, {}).text("a"), randomProgram(7, {}).text("a"));
  auto HasGet = [](const RandomProgram &P) { return P.text("t").find("get ") != std::string::npos; };
  std::uint64_t Seed = 1;
  while (!HasGet(randomProgram(Seed, {})))
    ++Seed;
  RandomProgram Small = shrink(randomProgram(Seed, {}), HasGet);
  ASSERT_EQ(Small.Threads.size(), 1u);
  EXPECT_EQ(Small.Threads[0].Body.size(), 1u);
}

// The conditions against the truth, on random programs.
#include "Expect.h"

using namespace rdma;
using namespace rdma::test;

TEST(Soundness, StraightLinePrograms) { expectSound(1, 8000, {}); }
TEST(Soundness, LongerThreads) { expectSound(100000, 2000, {.MaxStatements = 6}); }
TEST(Soundness, WithChoices) { expectSound(200000, 3000, {.Choices = true}); }
TEST(Soundness, LockWords) {
  expectSound(400000, 3000, {.MaxThreads = 2, .MaxStatements = 2, .Locks = true});
}
TEST(Soundness, WaitsAndPollsOfOneQueuePair) {
  expectSound(500000, 2000, {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Mixed = true});
}
TEST(Soundness, SeveralQueuePairsToANode) {
  expectSound(600000, 2000, {.Pairs = true});
  expectSound(700000, 1000, {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Pairs = true});
}
TEST(Soundness, WordsThatAreWaitedFor) {
  expectSound(950000, 4000, {.Mailboxes = true});
  expectSound(960000, 1500, {.MaxThreads = 2, .MaxStatements = 6, .Choices = true, .Mailboxes = true});
}
TEST(Soundness, ThreadsThatTakeTurns) {
  expectSound(1000000, 3000, {.MaxThreads = 2, .MaxStatements = 2, .Turns = true});
  expectSound(1010000, 1500, {.MaxStatements = 3, .Choices = true, .Turns = true});
}
TEST(Soundness, AnyNumberOfThreads) {
  expectHolds(800000, 1500, {.MinThreads = 1, .MaxThreads = 1, .MaxStatements = 3}, copiesAreSound);
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

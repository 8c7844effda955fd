// Choices and loops: to a fixpoint of states, and to a bound where queues would grow without end.
#include "analyzer/explorer/Explore.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

using namespace rdma;
using namespace rdma::explorer;

namespace {
Exploration run(const std::string &Text, Model M = Model::RdmaTso) {
  return explore(parseLitmus(Text, "test.litmus").Code, M);
}
} // namespace

TEST(Loops, ChoiceTakesEachBranch) {
  Exploration E = run("litmus \"t\" node 1 { x; } thread 1 @ 1 { choose { x := 1; } or { x := 2; } or { } }");
  EXPECT_EQ(E.Outcomes.size(), 3u);
  EXPECT_FALSE(E.Bounded);
}

TEST(Loops, SpinningOnAFlagNeedsNoBound) {
  Exploration E = run("litmus \"t\" node 1 { f; d; } node 2 { s; }"
                      "thread 1 @ 1 { loop { assume(f == 0); } assume(f == 1); d := f; }"
                      "thread 2 @ 2 { put f <- 1; }");
  EXPECT_EQ(E.Outcomes.size(), 1u);
  EXPECT_FALSE(E.Bounded);
  EXPECT_FALSE(E.TimedOut);
}

TEST(Loops, PolledLoopReachesAFixpoint) {
  Exploration E = run("litmus \"t\" node 1 { l; } node 2 { x; }"
                      "thread 1 @ 1 { loop { get l <- x; poll(2); } }"
                      "thread 2 @ 2 { x := 1; }");
  EXPECT_EQ(E.Outcomes.size(), 2u);
  EXPECT_FALSE(E.Bounded);
}

TEST(Loops, UnpolledPutsAreBoundedAndSaidSo) {
  Exploration E = run("litmus \"t\" node 1 { s; } node 2 { x; }"
                      "thread 1 @ 1 { loop { put x <- s; } s := 1; }");
  EXPECT_EQ(E.Outcomes.size(), 2u);
  EXPECT_TRUE(E.Bounded);
}

TEST(Loops, WaitAroundTheLoop) {
  Exploration E = run("litmus \"t\" node 1 { s; } node 2 { x; }"
                      "thread 1 @ 1 { loop { s := 1; put x <- s #d; wait(d); s := 2; } }");
  // Not at all; or ended with s = 2, and x always from a source that was 1.
  EXPECT_EQ(E.Outcomes.size(), 2u);
}

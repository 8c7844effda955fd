// The explorer on the litmus files of the papers and on programs whose outcomes can be counted by hand.
#include "analyzer/explorer/Declarative.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace rdma;
using namespace rdma::explorer;

namespace {

Program parse(const std::string &Text) { return parseLitmus(Text, "test.litmus").Code; }

/// Without reduction too, which would hide a NIC rule that has become too weak.
std::size_t outcomes(const std::string &Text, Model M = Model::RdmaTso) {
  std::set<Outcome> Reduced = explore(parse(Text), M).Outcomes;
  EXPECT_EQ(Reduced, explore(parse(Text), M, {.Reduce = false}).Outcomes);
  return Reduced.size();
}

std::optional<bool> robust(const std::string &Text, Model M = Model::RdmaTso) {
  return checkRobust(parse(Text), M).Robust;
}

std::vector<std::string> litmusFiles() {
  std::vector<std::string> Files;
  for (const auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus"))
    if (Entry.path().extension() == ".litmus")
      Files.push_back(Entry.path());
  std::sort(Files.begin(), Files.end());
  return Files;
}

} // namespace

class LitmusFiles : public testing::TestWithParam<std::string> {};

TEST_P(LitmusFiles, OutcomesAndRobustnessAreThePapers) {
  LitmusTest Test = readLitmus(GetParam());
  for (const Assertion &A : Test.Assertions)
    for (Model M : A.Models) {
      if (A.What == Assertion::Kind::Robust) {
        EXPECT_EQ(checkRobust(Test.Code, M).Robust, A.Expected) << A.Text << " " << name(M);
      } else if (A.What == Assertion::Kind::Allowed || A.What == Assertion::Kind::Forbidden) {
        Exploration E = explore(Test.Code, M);
        bool Found = std::any_of(E.Outcomes.begin(), E.Outcomes.end(),
                                 [&](const Outcome &O) { return A.When.holds(O); });
        EXPECT_EQ(Found, A.What == Assertion::Kind::Allowed) << A.Text << " " << name(M);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Papers, LitmusFiles, testing::ValuesIn(litmusFiles()), [](const auto &Info) {
  std::string Name = std::filesystem::path(Info.param).stem();
  std::replace_if(Name.begin(), Name.end(), [](char C) { return !std::isalnum(C); }, '_');
  return Name;
});

TEST(Explore, AllFilesOfThePapersAreThere) { EXPECT_GE(litmusFiles().size(), 95u); }

TEST(Explore, UnpolledPutMaySendWhatIsWrittenLater) {
  const char *Text = "litmus \"t\" node 1 { s = 1; } node 2 { x; } thread 1 @ 1 { put x <- s; s := 2; }";
  EXPECT_EQ(outcomes(Text), 2u);
  EXPECT_EQ(outcomes(Text, Model::RdmaSc), 2u);
  EXPECT_EQ(outcomes(Text, Model::Sc), 1u);
  EXPECT_EQ(robust(Text), false);
}

TEST(Explore, InlinePutReadsItsSourceAtThePost) {
  const char *Text =
      "litmus \"t\" node 1 { s = 1; } node 2 { x; } thread 1 @ 1 { put x <- s inline; s := 2; }";
  EXPECT_EQ(outcomes(Text), 1u);
  EXPECT_EQ(robust(Text), true);
}

TEST(Explore, InlinePutMayReachMemoryBeforeAFencedGetDelivers) {
  // Nothing makes the NIC flush its local writes: the put reads no local memory.
  const char *Text = "litmus \"t\" node 1 { u; s; } node 2 { v; }"
                     "thread 1 @ 2 { put u <- v; } thread 2 @ 1 { get u <- v; put v <- s inline fenced; }";
  EXPECT_EQ(robust(Text), false);
  EXPECT_EQ(enumerateRobust(parse(Text), Model::RdmaTso).Robust, false);
}

TEST(Explore, UnsignaledOperationIsCoveredByTheNextCompletion) {
  const std::string Head = "litmus \"t\" node 1 { s = 1; t = 1; } node 2 { x; y; } thread 1 @ 1 {";
  EXPECT_EQ(outcomes(Head + "put x <- s unsignaled; put y <- t; poll(2); s := 2; }"), 1u);
  EXPECT_EQ(outcomes(Head + "put x <- s; put y <- t unsignaled; poll(2); t := 2; }"), 2u);
  // Nothing to poll: no run ends.
  EXPECT_EQ(outcomes(Head + "put x <- s unsignaled; poll(2); }"), 0u);
  EXPECT_EQ(outcomes(Head + "put x <- s #d unsignaled; put y <- t; wait(d); s := 2; }"), 1u);
}

TEST(Explore, WaitLeavesTheCompletionsOfOthers) {
  const std::string Head = "litmus \"t\" node 1 { s = 1; t = 1; } node 2 { x; y; } thread 1 @ 1 {";
  EXPECT_EQ(outcomes(Head + "put x <- s; put y <- t #d; wait(d); s := 2; poll(2); }"), 1u);
  EXPECT_EQ(outcomes(Head + "put y <- t #d; put x <- s; poll(2); s := 2; wait(d); }"), 1u);
  // The poll takes the first one's completion, not what the wait has waited for, nor the last one's.
  EXPECT_EQ(outcomes(Head + "put x <- t; put x <- t #d; wait(d); put y <- s; poll(2); s := 2; }"), 2u);
  // What is waited for is not for polls.
  EXPECT_EQ(outcomes(Head + "put x <- s #d; poll(2); wait(d); }"), 0u);
}

TEST(Explore, FencedOperationWaitsForEarlierGets) {
  const std::string Head = "litmus \"t\" node 1 { l; } node 2 { x; y; } thread 1 @ 1 { ";
  EXPECT_EQ(outcomes(Head + "get l <- x; put x <- 1; }"), 2u);
  EXPECT_EQ(outcomes(Head + "get l <- x; put x <- 1 fenced; }"), 1u);
  EXPECT_EQ(robust(Head + "get l <- x; put x <- 1 fenced; }"), true);
  EXPECT_EQ(
      outcomes(
          "litmus \"t\" node 1 { l; } node 2 { x = 1; y; } thread 1 @ 1 { get l <- x; put y <- l fenced; }"),
      1u);
}

TEST(Explore, LoopbackAndUnmatchedPoll) {
  EXPECT_EQ(outcomes("litmus \"t\" node 1 { x; l; } thread 1 @ 1 { put x <- 1; l := x; }"), 2u);
  EXPECT_EQ(outcomes("litmus \"t\" node 1 { x; l; } thread 1 @ 1 { put x <- 1; poll(1); l := x; }"), 2u);
  EXPECT_EQ(outcomes("litmus \"t\" node 1 { x; } thread 1 @ 1 { poll(1); }"), 0u);
}

TEST(Explore, PutMayFallIntoARemoteAtomic) {
  const char *Text = "litmus \"t\" node 1 { l; } node 2 { x; }"
                     "thread 1 @ 1 { rfaa l <- x (1); } thread 2 @ 2 { x := 5; }";
  EXPECT_EQ(explore(parse(Text), Model::Sc).Outcomes.size(), 2u);
  EXPECT_EQ(explore(parse(Text), Model::RdmaTso).Outcomes.size(), 3u);
  EXPECT_EQ(robust(Text), false);
}

TEST(Explore, CompletionsComeInOrder) {
  // The first poll is for the get, so what it delivers is there.
  EXPECT_EQ(outcomes("litmus \"t\" node 1 { l; k; } node 2 { x = 1; y; }"
                     "thread 1 @ 1 { get l <- x; put y <- 1; poll(2); k := l; }"),
            1u);
}

TEST(Explore, TimeoutIsSaid) {
  std::string Text = "litmus \"t\" node 1 { a; } node 2 { x; y; z; }";
  for (int T = 1; T <= 4; ++T)
    Text += "thread " + std::to_string(T) +
            " @ 1 { put x <- a; put y <- a; get a <- x; get a <- z; put z <- a; a := a + 1; put x <- a; }";
  Limits L;
  L.Timeout = std::chrono::milliseconds(20);
  EXPECT_TRUE(explore(parse(Text), Model::RdmaTso, L).TimedOut);
  // Here an execution that shows the answer may be found early; the answer is never yes.
  EXPECT_NE(checkRobust(parse(Text), Model::RdmaTso, L).Robust, true);
}

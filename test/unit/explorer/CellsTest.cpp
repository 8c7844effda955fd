// Both engines on the papers' files, and on programs that each pin a cell of the order tables which those
// leave open.
#include "analyzer/explorer/Declarative.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace rdma;
using namespace rdma::explorer;

namespace {

bool found(const Exploration &E, const Condition &When) {
  return std::any_of(E.Outcomes.begin(), E.Outcomes.end(), [&](const Outcome &O) { return When.holds(O); });
}

void expectDeclared(const LitmusTest &Test, const Assertion &A, Model M) {
  Limits L{.Timeout = std::chrono::seconds(10), .Unroll = 1};
  if (A.What == Assertion::Kind::Robust) {
    EXPECT_EQ(enumerateRobust(Test.Code, M, L).Robust, A.Expected) << A.Text << " " << name(M);
  } else if (A.What == Assertion::Kind::Allowed || A.What == Assertion::Kind::Forbidden) {
    Exploration E = enumerateOutcomes(Test.Code, M, L);
    EXPECT_FALSE(E.TimedOut);
    EXPECT_EQ(found(E, A.When), A.What == Assertion::Kind::Allowed) << A.Text << " " << name(M);
  }
}

void expectMachine(const LitmusTest &Test, const Assertion &A, Model M) {
  if (A.What == Assertion::Kind::Robust)
    EXPECT_EQ(checkRobust(Test.Code, M).Robust, A.Expected) << A.Text << " " << name(M);
  else
    EXPECT_EQ(found(explore(Test.Code, M), A.When), A.What == Assertion::Kind::Allowed)
        << A.Text << " " << name(M);
}

/// Text without the name; every assertion must hold in both engines.
void expectBoth(const std::string &Text) {
  LitmusTest Test = parseLitmus("litmus \"cell\"\n" + Text, "cell.litmus");
  ASSERT_FALSE(Test.Assertions.empty());
  for (const Assertion &A : Test.Assertions)
    for (Model M : A.Models) {
      expectMachine(Test, A, M);
      if (M != Model::Sc)
        expectDeclared(Test, A, M);
    }
}

} // namespace

TEST(Declarative, PapersFilesHold) {
  unsigned Count = 0;
  for (const auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus")) {
    if (Entry.path().extension() != ".litmus")
      continue;
    SCOPED_TRACE(Entry.path().filename().string());
    LitmusTest Test = readLitmus(Entry.path());
    for (const Assertion &A : Test.Assertions)
      for (Model M : A.Models)
        if (M != Model::Sc)
          expectDeclared(Test, A, M);
    ++Count;
  }
  EXPECT_GE(Count, 95u);
}

TEST(Cells, PollIsNoMemoryFence) {
  expectBoth(R"(node 1 { x; y; a; b; } node 2 { d; }
    thread 1 @ 1 { put d <- 1; x := 1; poll(2); a := y; }
    thread 2 @ 1 { y := 1; mfence; b := x; }
    allowed[rdma-tso] a == 0 && b == 0;
    forbidden[rdma-sc] a == 0 && b == 0;)");
}

TEST(Cells, NothingPushesTheWriteOfAnAtomicBeforeALaterLocalRead) {
  for (const char *Fence : {"", "rfence(2);", "poll(2);"})
    expectBoth(std::string("node 1 { s; r; a; } node 2 { x; y; } thread 1 @ 1 { rfaa r <- x (1); ") + Fence +
               R"( put y <- s; }
      thread 2 @ 1 { s := 1; mfence; get a <- x; poll(2); }
      allowed y == 0 && a == 0;)");
}

TEST(Cells, PolledGetPushesTheWriteOfAnAtomic) {
  expectBoth(R"(node 1 { s; r; a; g; } node 2 { x; y; }
    thread 1 @ 1 { rfaa r <- x (1); get g <- y; poll(2); poll(2); put y <- s; }
    thread 2 @ 1 { s := 1; mfence; get a <- x; poll(2); }
    forbidden y == 0 && a == 0;)");
}

TEST(Cells, MemoryFenceDoesNotWaitForTheNic) {
  for (const char *Operation : {"put x <- 1;", "rfaa r <- x (1);"})
    expectBoth(std::string("node 1 { y; a; r; b; } node 2 { x; } thread 1 @ 1 { ") + Operation +
               R"( poll(2); mfence; a := y; }
      thread 2 @ 1 { y := 1; mfence; get b <- x; poll(2); }
      allowed a == 0 && b == 0;)");
}

TEST(Cells, NoFenceOfTheCpuAndNoOtherPollWaitsForARemoteRead) {
  for (const char *Read : {"get r <- x;", "rfaa r <- x (1);", "rcas r <- x (0, 1);"})
    for (const char *Wait : {"mfence;", "w := cas(w, 0, 1);", "poll(2);"})
      for (const char *Fence : {"", "rfence(2);"})
        expectBoth(std::string("node 1 { y; r; g; w; } node 2 { x; z; } thread 1 @ 1 { get g <- z; ") + Read +
                   Fence + Wait + R"( y := 1; }
          thread 2 @ 1 { assume(y == 1); put x <- 5; }
          allowed r == 5;)");
}

TEST(Cells, PolledRemoteReadIsOver) {
  for (const char *Read : {"get r <- x;", "rfaa r <- x (1);", "rcas r <- x (0, 1);"})
    expectBoth(std::string("node 1 { y; r; } node 2 { x; } thread 1 @ 1 { ") + Read + R"( poll(2); y := 1; }
      thread 2 @ 1 { assume(y == 1); put x <- 5; }
      forbidden r == 5;)");
}

TEST(Cells, PutReadsItsSourceBeforeOlderRemoteReads) {
  // Thread 2 writes s and then x: the put has read s before, and the remote read comes after.
  for (const char *Read : {"get r <- x;", "rfaa r <- x (1);"})
    for (const char *Between : {"", "put z <- 1;"})
      expectBoth(std::string("node 1 { s; r; } node 2 { x; y; z; } thread 1 @ 1 { ") + Read + Between +
                 R"( put y <- s; }
        thread 2 @ 1 { s := 1; put x <- 5; }
        allowed r == 5 && y == 0;)");
  expectBoth(R"(node 1 { s; r; } node 2 { x; y; }
    thread 1 @ 1 { get r <- x; rfence(2); put y <- s; }
    thread 2 @ 1 { s := 1; put x <- 5; }
    forbidden r == 5 && y == 0;)");
}

TEST(Cells, DeliveryOfAnAtomicMayOvertakeItsWrite) {
  // The news of the polled result comes to node 2 by way of node 3.
  auto told = [](const std::string &Between) {
    return "node 1 { r; f = 1; l; } node 2 { x; z; h; a; } node 3 { g; }"
           "thread 1 @ 1 { rfaa r <- x (1); " +
           Between +
           " put g <- f; }"
           "thread 2 @ 3 { assume(g == 1); put h <- g; }"
           "thread 3 @ 2 { assume(h == 1); a := x; }";
  };
  expectBoth(told("poll(2);") + " allowed a == 0; robust no;");
  expectBoth(told("get l <- z; poll(2); poll(2);") + " forbidden a == 0; allowed a == 1; robust yes;");
}

TEST(Cells, PutReadsItsSourcePastAPutThatIsOnItsWay) {
  // Seen from node 2: the first put has arrived, the second has read after that, and the get is still to
  // come.
  expectBoth(R"(node 1 { s; r; } node 2 { x; y; z; }
    thread 1 @ 1 { get r <- x; put z <- 1; put y <- s; }
    thread 2 @ 2 { assume(z == 1); put s <- 1; assume(y == 1); x := 5; }
    allowed r == 5;)");
}

TEST(Cells, AtomicsTowardsOneNodeExcludeEachOther) {
  expectBoth(R"(node 1 { p; q; } node 2 { x; y; r; }
    thread 1 @ 1 { rfaa p <- x (1); }
    thread 2 @ 2 { rfaa r <- x (1); }
    forbidden x == 1;
    robust yes;)");
}

TEST(Cells, FencesOfOneQueuePairAreNothingToAnother) {
  // What thread 1 did towards node 2 is still to come when node 3 has heard of the rest.
  for (const char *Fence : {"", "rfence(3);", "rfence(2);", "rfence(2); rfence(3);"})
    for (const char *Read : {"get r <- x;", "rfaa r <- x (1);", "rcas r <- x (0, 1);"})
      for (const char *Tell : {"put y <- 1;", "put y <- 1 inline;", "rfaa a <- y (1);"})
        expectBoth(std::string("node 1 { r; a; } node 2 { x; } node 3 { y; } thread 1 @ 1 { ") + Read +
                   Fence + Tell +
                   R"( }
          thread 2 @ 3 { assume(y == 1); put x <- 5; }
          allowed r == 5;)");
  for (const char *Fence : {"", "rfence(3);", "rfence(2);"})
    expectBoth(std::string("node 1 { s; } node 2 { x; } node 3 { y; } thread 1 @ 1 { put x <- s; ") + Fence +
               R"( put y <- 1; }
      thread 2 @ 3 { assume(y == 1); put s <- 1; }
      allowed x == 1;)");
}

TEST(Cells, PutReadsItsSourceWhileAnOlderCompletionWaits) {
  expectBoth(R"(node 1 { a; s; f; } node 2 { x = 1; y; }
    thread 1 @ 1 { get a <- x; put y <- s; assume(a == 1); s := 1; assume(f == 1); poll(2); }
    thread 2 @ 2 { assume(y == 1); put f <- 1; }
    allowed y == 1;)");
}

TEST(Cells, SeveralPolledPutsMayBeOnTheirWay) {
  expectBoth(R"(node 1 { f; a; } node 2 { x; y; b; g; }
    thread 1 @ 1 { put x <- 1; put y <- 1; poll(2); poll(2); a := f; }
    thread 2 @ 2 { put f <- 1; get g <- f; poll(1); poll(1); b := x; }
    allowed a == 0 && b == 0;)");
}

// Threads that wait for each other, as those do that start and join one another.
#include "Expect.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"

using namespace rdma;
using namespace rdma::test;

Program starter(const std::string &Flag, const std::string &Waits, const std::string &More = "") {
  return parseLitmus("litmus \"t\" node 1 { x; y; " + Flag +
                         " a; b; } node 2 { c; }\n"
                         "thread 1 @ 1 { x := 1; a := y; go := 1; }\n"
                         "thread 2 @ 1 { " +
                         Waits + " y := 1; b := x; }" + More,
                     "t")
      .Code;
}

/// The conditions and the truth.
void expectOrder(const Program &P, bool Ordered) {
  SCOPED_TRACE(writeLitmus(P));
  EXPECT_EQ(decide(P, Model::RdmaTso).Cycles, Ordered);
  EXPECT_EQ(explorer::checkRobust(P, Model::RdmaTso).Robust, std::optional(Ordered));
}

TEST(Handshakes, OrderWhatCameBefore) { expectOrder(starter("go;", "assume(go == 1);"), true); }
TEST(Handshakes, NeedAnAssumeOnEachPath) {
  expectOrder(starter("go;", "choose { assume(go == 1); } or { }"), false);
  expectOrder(starter("go;", "choose { assume(go == 1); } or { assume(go != 0); }"), true);
}
TEST(Handshakes, NeedAnAssumeThatFirstFails) {
  expectOrder(starter("go = 1;", "assume(go == 1);"), false);
  expectOrder(starter("go;", "assume(go != 1);"), false);
}
TEST(Handshakes, NeedOneWriter) {
  expectOrder(starter("go;", "assume(go == 1);", "thread 3 @ 1 { go := 1; }"), false);
  expectOrder(starter("go;", "assume(go == 1);", "thread 3 @ 2 { put go <- 1; }"), false);
}

/// Another copy of a thread, on another node, has not heard of it.
TEST(Handshakes, AreNotBetweenCopies) {
  for (ThreadIndex T : {0, 1}) {
    Program P = starter("go;", "assume(go == 1);");
    P.Threads[T].Many = true;
    EXPECT_FALSE(decide(P, Model::RdmaTso).Cycles);
  }
}

/// One tells the other twice, and then looks at what that has written.
Program toldTwice(const std::string &Waits, const std::string &Second = "1") {
  return parseLitmus("litmus \"t\" node 1 { m; } node 2 { b; r; }\n"
                     "thread 1 @ 1 { put b <- 1; " +
                         Waits +
                         " }\n"
                         "thread 2 @ 2 { put m <- 1; put m <- " +
                         Second + "; r := b; }",
                     "t")
      .Code;
}
TEST(Handshakes, DoNotTellWhoAwaitsHowOften) {
  EXPECT_FALSE(decide(toldTwice("assume(m == 1);"), Model::RdmaTso).Cycles);
  EXPECT_TRUE(decide(toldTwice("await(m == 1);"), Model::RdmaTso).Cycles);
  EXPECT_TRUE(decide(toldTwice("await(m != 0);", "2"), Model::RdmaTso).Cycles);
  EXPECT_FALSE(decide(toldTwice("await(m == 1);", "2"), Model::RdmaTso).Cycles);
  EXPECT_FALSE(decide(toldTwice("await(m == 1); await(m != 1);"), Model::RdmaTso).Cycles);
}

/// One may start another, and goes on where that has ended, or was not started.
Program mayStart(const std::string &Start, const std::string &Waits, const std::string &More = "",
                 const std::string &Begins = "assume(s == 1);") {
  return parseLitmus("litmus \"t\" node 1 { x; y; s; e; a; b; }\n"
                     "thread 1 @ 1 { " +
                         Start + Waits + " x := 1; a := y; " + More +
                         " }\n"
                         "thread 2 @ 1 { " +
                         Begins + " y := 1; b := x; e := 1; }",
                     "t")
      .Code;
}
TEST(Handshakes, OrderWhoEndedOrNeverBegan) {
  const std::string May = "choose { s := 1; } or { }";
  expectOrder(mayStart("s := 1;", "assume(e == 1);"), true);
  expectOrder(mayStart(May, "choose { assume(e == 1); } or { assume(s == 0); }"), true);
  expectOrder(mayStart(May, "choose { assume(e == 1); } or { }"), false);
  // Begun later.
  expectOrder(mayStart("", "choose { assume(e == 1); } or { assume(s == 0); } s := 1;"), false);
  EXPECT_FALSE(
      decide(mayStart(May, "choose { assume(e == 1); } or { assume(s == 0); }", "s := 1;"), Model::RdmaTso)
          .Cycles);
  // Unwritten is not what it was at first.
  expectOrder(
      mayStart("choose { s := 1; s := 0; } or { }", "choose { assume(e == 1); } or { assume(s == 0); }"),
      false);
  // It does something before it begins.
  EXPECT_FALSE(decide(mayStart(May, "choose { assume(e == 1); } or { assume(s == 0); }", "",
                               "y := 1; b := x; assume(s == 1);"),
                      Model::RdmaTso)
                   .Cycles);
}

TEST(Handshakes, AreSound) { expectSound(700'000, 3000, {.Handshakes = true}); }
TEST(Handshakes, AreSoundBesideChoices) { expectSound(710'000, 1500, {.Choices = true, .Handshakes = true}); }
TEST(Handshakes, AreSoundInLoops) {
  expectSound(720'000, 500, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true, .Handshakes = true});
}

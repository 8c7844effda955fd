// Copies of threads, completion queues of others, torn atomics: what the papers' programs do not show.
#include "analyzer/core/Verdict.h"

#include "analyzer/core/GuaranteedBefore.h"
#include "analyzer/core/Reasons.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace rdma;

namespace {

Program parsed(const std::string &Text) { return parseLitmus("litmus \"t\" " + Text, "t").Code; }
Verdict verdict(const Program &P) { return decide(P, Model::RdmaTso); }

TEST(Copies, PassOnWhatOneOfThemSaw) {
  Program P = parsed("node 1 { a; } node 2 { x; } node 3 { y; } node 4 { r; s; } node 5 { w; }\n"
                     "thread 1 @ 1 { put x <- 1; get a <- y; }\n"
                     "thread 2 @ 4 { get r <- w; get s <- x; put y <- 1; put w <- 1; }");
  EXPECT_TRUE(verdict(P).Cycles) << "one thread reads x before it writes y";
  P.Threads[1].Many = true;
  EXPECT_FALSE(verdict(P).Cycles) << "another copy learns of y by w, then reads x";
}

TEST(Copies, WriteNextToEachOthersAtomics) {
  Program P = parsed("node 1 { a; } node 2 { L; } node 3 { r; }\n"
                     "thread 1 @ 1 { a := 1; }\n"
                     "thread 2 @ 3 { rfaa r <- L (1); put L <- 0; }");
  EXPECT_TRUE(verdict(P).Atomics);
  P.Threads[1].Many = true;
  EXPECT_FALSE(verdict(P).Atomics);
}

TEST(CriticalCycle, DoesNotPassThroughTheThreadUnderExamination) {
  Program P =
      parsed("node 1 { a; } node 2 { x; } node 3 { y; q; } node 4 { b; } node 5 { c; d; } node 6 { z; }\n"
             "thread 1 @ 1 { put x <- 1; put y <- 1; get a <- q; put z <- 1; }\n"
             "thread 2 @ 4 { get b <- y; put q <- 1; }\n"
             "thread 3 @ 5 { get c <- z; get d <- x; }");
  std::vector<Violation> Open = verdict(P).OpenCycles;
  auto From = [&](const char *Name) {
    return std::any_of(Open.begin(), Open.end(), [&](const Violation &V) {
      return V.First.Thread == 0 && P.Objects[V.First.Location.Target].Name == "x" &&
             P.Objects[V.Second.Location.Target].Name == Name;
    });
  };
  EXPECT_TRUE(From("z"));
  EXPECT_FALSE(From("y")) << "who reads y tells thread 3 only through thread 1 itself";
}

TEST(CriticalCycle, PlainReadsSeeARemoteAtomicHalfDone) {
  EXPECT_FALSE(verdict(parsed("node 1 { a; } node 2 { L; } node 3 { f; } node 4 { r; s; }\n"
                              "thread 1 @ 1 { rfaa a <- L (1); poll(2); put f <- 1; }\n"
                              "thread 2 @ 4 { get r <- f; poll(3); get s <- L; }"))
                   .Cycles);
}

TEST(OpenWorld, LeavesNothingFencedOrTreeFenced) {
  Program P = parsed("node 1 { a; } node 2 { x; } node 3 { y; }\nthread 1 @ 1 { put x <- 1; put y <- 1; }");
  for (Object &O : P.Objects)
    O.RemoteAccess = !O.Fresh;
  P.OpenWorld = true;
  EXPECT_FALSE(verdict(P).Fenced);
  EXPECT_FALSE(verdict(P).TreeFenced);
  Program One = parsed("node 1 { a; } node 2 { x; }\nthread 1 @ 1 { put x <- 1; }");
  EXPECT_TRUE(verdict(One).TreeFenced);
  One.OpenWorld = true;
  EXPECT_FALSE(verdict(One).TreeFenced) << "other nodes' paths are not known";
}

TEST(LockWord, IsTakenAsAWhole) {
  Program P = parsed("node 1 { r1; } node 2 { r2; } node 3 { L; }\n"
                     "thread 1 @ 1 { rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 0; }\n"
                     "thread 2 @ 2 { rcas r2 <- L (0, 1); }");
  auto Bytes = [&](ThreadIndex T, std::int64_t Begin) {
    for (Statement &S : P.Threads[T].Statements)
      if (S.Op.Remote.valid()) {
        S.Op.Remote.Begin = Begin;
        S.Op.Remote.End = Begin + 8;
      }
  };
  Bytes(0, 0);
  Bytes(1, 0);
  EXPECT_TRUE(verdict(P).Atomics);
  Bytes(1, 4);
  EXPECT_FALSE(verdict(P).Atomics) << "half of the word and four bytes more";
}

/// Does thread 1 write x while its put may still read it?
bool races(const Program &P) { return !verdict(P).Ldrf; }

TEST(CompletionQueues, HoldWhatOthersPost) {
  Program P = parsed("node 1 { x; a; b; } node 2 { y; } node 3 { z; }\n"
                     "thread 1 @ 1 { put y <- x; put z <- a; poll(2); x := 1; }\n"
                     "thread 2 @ 1 { put z <- b; }");
  EXPECT_FALSE(races(P));
  Program Unknown = P;
  Unknown.QueuePairs[1].Queue = None;
  EXPECT_TRUE(races(Unknown)) << "a queue that is not known may be this one";
  for (QueuePair &Q : P.QueuePairs)
    if (Q.Owner == 1)
      Q.Queue = P.QueuePairs[0].Queue;
  EXPECT_TRUE(races(P)) << "the completion may be the other thread's";
}

Verdict alone(const std::string &Body) {
  return verdict(parsed("node 1 { x; a; b; } node 2 { y; } node 3 { z; }\nthread 1 @ 1 {" + Body + "}"));
}

TEST(CompletionQueues, GiveAPollNothingThatAWaitWaitsFor) {
  EXPECT_TRUE(alone("put y <- a #d; wait(d); put y <- x; poll(2); x := 1;").Ldrf);
  EXPECT_TRUE(alone("put y <- a #d; put y <- x; poll(2); x := 1; wait(d);").Ldrf);
  EXPECT_TRUE(alone("put y <- a #d; put y <- x; choose { wait(d); } or { } poll(2); x := 1;").Ldrf);
}

TEST(CompletionQueues, KeepInAWaitWhatIsForPolls) {
  EXPECT_TRUE(alone("put y <- x; put y <- a #d; wait(d); x := 1; poll(2);").Ldrf) << "it knows of the first";
  EXPECT_FALSE(alone("put y <- a; put y <- a #d; wait(d); put y <- x; poll(2); x := 1;").Ldrf)
      << "the poll takes the first one's";
}

TEST(CompletionQueues, CoverUnsignaledRequestsOnThePathThatPostedThem) {
  EXPECT_TRUE(alone("get b <- z; poll(3); put y <- a unsignaled; put y <- a; poll(2); b := 1;").Ldrf);
  EXPECT_FALSE(
      alone("get b <- z; choose { poll(3); put y <- a unsignaled; } or { } put y <- a; poll(2); b := 1;")
          .Ldrf);
}

TEST(CompletionQueues, AreNeverCaughtUpWithAfterALoopHoweverManyPolls) {
  std::string Polls;
  for (unsigned I = 0; I < 12; ++I)
    Polls += "poll(2); ";
  EXPECT_TRUE(alone("put y <- a; put y <- x; " + Polls + "x := 1;").Ldrf);
  EXPECT_FALSE(alone("loop { put y <- a; } put y <- x; " + Polls + "x := 1;").Ldrf);
}

/// The objects of the stores of thread 1 that are known to be defects. One store goes to x or to z, which is
/// not known; two threads tell whether it comes before the load of y.
std::set<std::string> storedToEither(const std::string &Of) {
  Program P = parseLitmus("litmus \"t\" node 1 { x; y; z" + Of +
                              "; a; b; c; }\n"
                              "thread 1 @ 1 { choose { x := 1; } or { z := 1; } a := y; }\n"
                              "thread 2 @ 1 { y := 1; b := x; }\n"
                              "thread 3 @ 1 { y := 2; c := z; }",
                          "t")
                  .Code;
  for (Statement &S : P.Threads[0].Statements)
    if (S.Op.Kind == OperationKind::Store && S.Op.Value && constantOf(S.Op.Value))
      S.Op.OneOf = true, S.Source = 7;
  const Verdict V = judge(P, Model::RdmaTso);
  std::set<std::string> Stored;
  for (const Violation &X : V.OpenCycles)
    if (X.RestsOn == None && X.First.Thread == 0)
      Stored.insert(describe(P, X.First.Location));
  return Stored;
}

/// What is open of z is no defect where z is one of several blocks: then that of x is none either.
TEST(Choices, AreHeldAgainstTheDefectsOfTheOtherMemory) {
  EXPECT_EQ(storedToEither(""), (std::set<std::string>{"x", "z"}));
  EXPECT_EQ(storedToEither(" several"), std::set<std::string>());
}

} // namespace

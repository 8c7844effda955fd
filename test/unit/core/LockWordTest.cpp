// The lock word: what may be written next to remote compare-and-swaps.
#include "analyzer/core/Verdict.h"

#include "ir/Litmus.h"

#include <gtest/gtest.h>

using namespace rdma;

namespace {

/// Two threads with the same body; L is the lock, on node 3.
bool atomics(std::string Body, const std::string &Other = "") {
  std::string Second = Other.empty() ? Body : Other;
  for (std::string *Text : {&Second})
    for (std::size_t At = 0; (At = Text->find("r1", At)) != std::string::npos;)
      Text->replace(At, 2, "r2");
  for (std::size_t At = 0; (At = Second.find("f1", At)) != std::string::npos;)
    Second.replace(At, 2, "f2");
  return decide(
             parseLitmus("litmus \"t\" node 1 { r1; f1; } node 2 { r2; f2; } node 3 { L; }\nthread 1 @ 1 {" +
                             Body + "}\nthread 2 @ 2 {" + Second + "}",
                         "t")
                 .Code,
             Model::RdmaTso)
      .Atomics;
}

TEST(LockWord, IsGivenBackByAPlainWriteAfterATestedCompareAndSwap) {
  EXPECT_TRUE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 0;"));
  EXPECT_TRUE(atomics("loop { rcas r1 <- L (0, 1); poll(3); assume(r1 != 0); } rcas r1 <- L (0, 1); poll(3); "
                      "assume(r1 == 0); f1 := 0; put L <- f1; poll(3);"));
}

TEST(LockWord, IsNotGivenBackByWhoDidNotTestOrHold) {
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); put L <- 0;")) << "not tested";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); choose { assume(r1 == 0); } or { } put L <- 0;"))
      << "one path";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 1); put L <- 0;")) << "tested for failure";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 0; put L <- 0;"))
      << "given back twice";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); r1 := 0; assume(r1 == 0); put L <- 0;"))
      << "result overwritten";
}

TEST(LockWord, TakesOneFreeValueAndNoOtherAtomic) {
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 2;")) << "another value";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 0;", "rfaa r1 <- L (1);"));
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); put L <- 0;", "rcas r1 <- L (1, 2);"));
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 0); poll(3); assume(r1 == 0); put L <- 0;")) << "takes nothing";
  EXPECT_FALSE(atomics("rcas r1 <- L (0, 1); poll(3); assume(r1 == 0); f1 := r1; put L <- f1;"))
      << "value not known";
}

TEST(LockWord, ResultsThatOthersWriteProveNothing) {
  Program P = parseLitmus("litmus \"t\" node 1 { r; } node 2 { L; } node 3 { q; }\n"
                          "thread 1 @ 1 { rcas r <- L (0, 1); poll(2); assume(r == 0); put L <- 0; }\n"
                          "thread 2 @ 1 { r := 0; }\n"
                          "thread 3 @ 3 { rcas q <- L (0, 1); }",
                          "t")
                  .Code;
  EXPECT_FALSE(decide(P, Model::RdmaTso).Atomics);
}

} // namespace

// The conditions on whole programs: the papers' verdicts, replicas, an open world.
#include "analyzer/core/Verdict.h"

#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace rdma;

namespace {

std::optional<bool> answer(const Verdict &V, Assertion::Kind What) {
  switch (What) {
  case Assertion::Kind::Ldrf:
    return V.Ldrf;
  case Assertion::Kind::Fenced:
    return V.Fenced;
  case Assertion::Kind::TreeFenced:
    return V.TreeFenced;
  default:
    return std::nullopt;
  }
}

TEST(Conditions, AgreeWithThePapers) {
  unsigned Compared = 0;
  for (auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus")) {
    if (Entry.path().extension() != ".litmus")
      continue;
    LitmusTest Test = readLitmus(Entry.path().string());
    for (const Assertion &A : Test.Assertions)
      for (Model M : A.Models) {
        if (M == Model::Sc)
          continue;
        Verdict V = decide(Test.Code, M);
        if (auto Said = answer(V, A.What)) {
          ++Compared;
          EXPECT_EQ(*Said, A.Expected) << A.Where.File << ":" << A.Where.Line << ": " << A.Text;
        }
        if (A.What == Assertion::Kind::Robust && !A.Expected)
          EXPECT_FALSE(V.robust()) << A.Where.File << " is not robust";
        EXPECT_TRUE(!V.TreeFenced || V.Fenced) << A.Where.File << ": tree-fenced implies fenced";
        EXPECT_TRUE(!V.Fenced || V.Cycles) << A.Where.File << ": fenced implies no open cycle";
      }
  }
  EXPECT_GT(Compared, 100u);
}

bool raceFree(const std::string &Body) {
  std::string Text = "litmus \"t\" node 1 { u; a; } node 2 { x; } thread 1 @ 1 { loop { " + Body + " } }";
  return decide(parseLitmus(Text, "t").Code, Model::RdmaTso).Ldrf;
}

TEST(Conditions, WhatCountingProvedIsOfTheLocalSide) {
  EXPECT_FALSE(raceFree("put x <- a #d counted; a := 1;"));
  EXPECT_TRUE(raceFree("clear(d) put x <- a #d counted; clear(d) a := 1;"));
  // A request that delivers into its own target races with itself, whatever is known of those before.
  EXPECT_FALSE(raceFree("clear(d) rcas u <- u (1, 2) #d counted; poll(1);"));
}

Program dekkerHalf() {
  return parseLitmus("litmus \"t\" node 1 { a; } node 2 { x; y; }\nthread 1 @ 1 { put x <- 1; put y <- 1; "
                     "get a <- x; }",
                     "t")
      .Code;
}

TEST(Conditions, CopiesOfAThreadSeeEachOther) {
  Program P = parseLitmus("litmus \"t\" node 1 { a; } node 2 { x; } node 3 { y; }\n"
                          "thread 1 @ 1 { put x <- 1; get a <- y; }\n"
                          "thread 2 @ 1 { put y <- 1; }",
                          "t")
                  .Code;
  EXPECT_TRUE(decide(P, Model::RdmaTso).Cycles) << "nobody looks at x";
  Program Copies = parseLitmus("litmus \"t\" node 1 { a; b; } node 2 { x; y; } node 3 { z; }\n"
                               "thread 1 @ 1 { put x <- 1; get a <- z; put z <- 1; get b <- x; }\n"
                               "thread 2 @ 1 { put x <- 1; get a <- z; put z <- 1; get b <- x; }",
                               "t")
                       .Code;
  EXPECT_FALSE(decide(Copies, Model::RdmaTso).Cycles);
  Copies.Threads[1].Many = true;
  for (const Violation &V : decide(Copies, Model::RdmaTso).OpenCycles)
    EXPECT_EQ(V.First.Thread, 0u) << "a thread that stands for many is not examined itself";
}

TEST(Conditions, AnOpenWorldLooksAtEverythingInAnyOrder) {
  Program P =
      parseLitmus(
          "litmus \"t\" node 1 { a; } node 2 { x; } node 3 { y; }\nthread 1 @ 1 { put x <- 1; put y <- 1; }",
          "t")
          .Code;
  EXPECT_TRUE(decide(P, Model::RdmaTso).Cycles);
  for (Object &O : P.Objects)
    O.RemoteAccess = true;
  P.OpenWorld = true;
  Verdict V = decide(P, Model::RdmaTso);
  ASSERT_FALSE(V.OpenCycles.empty());
  EXPECT_TRUE(V.OpenCycles.front().Observers.empty());
  EXPECT_FALSE(V.robust());
}

TEST(Conditions, OneQueuePairKeepsPutsInOrder) { EXPECT_TRUE(decide(dekkerHalf(), Model::RdmaTso).robust()); }

} // namespace

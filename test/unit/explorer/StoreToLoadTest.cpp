// A store and a later load of one thread: between which of them nothing need stand.
#include "Expect.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"

using namespace rdma;
using namespace rdma::test;

/// Thread 1 stores to x and looks at y; thread 2 writes y, looks at x, and lets thread 1 go on.
static Program looksAt(const std::string &Between, const std::string &Look = "r := y;") {
  return parseLitmus("litmus \"t\" node 1 { x = 1; y; r; s; } node 2 { z; }\n"
                     "thread 1 @ 1 { x := 0; " +
                         Between + " " + Look +
                         " }\n"
                         "thread 2 @ 1 { y := 1; mfence; s := x; x := 2; }",
                     "t")
      .Code;
}

/// The conditions and the truth.
static void expectInOrder(const Program &P, bool Ordered) {
  SCOPED_TRACE(writeLitmus(P));
  EXPECT_EQ(decide(P, Model::RdmaTso).Cycles, Ordered);
  EXPECT_EQ(explorer::checkRobust(P, Model::RdmaTso).Robust, std::optional(Ordered));
}

TEST(StoreToLoad, NeedsOrderAcrossWords) { expectInOrder(looksAt(""), false); }
TEST(StoreToLoad, NeedsNoneOfOneWord) { expectInOrder(looksAt("", "r := x;"), true); }
TEST(StoreToLoad, IsInOrderWhenTheWordWasSeenOverwritten) {
  expectInOrder(looksAt("assume(x == 2);"), true);
  expectInOrder(looksAt("assume(x != 0);"), true);
  expectInOrder(looksAt("choose { assume(x == 2); } or { assume(x != 0); }"), true);
}
TEST(StoreToLoad, IsNotWhenItsOwnValueMayHaveBeenSeen) {
  expectInOrder(looksAt("assume(x == 0);"), false);
  expectInOrder(looksAt("assume(x != 2);"), false);
  expectInOrder(looksAt("x := 2; assume(x == 2);"), false);
  expectInOrder(looksAt("choose { assume(x == 2); } or { }"), false);
}

/// Each access of x, in the order of the threads, is to so many bytes from there on.
static Program inBytes(Program P, std::vector<std::pair<int, int>> Parts) {
  auto Next = Parts.begin();
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements) {
      std::vector<Access *> All{&S.Op.Local};
      if (S.Op.Value)
        for (Term &Part : *S.Op.Value)
          All.push_back(&Part.Location);
      for (Access *A : All)
        if (A->valid() && P.Objects[A->Target].Name == "x")
          A->Begin = Next->first, A->End = Next->first + Next->second, ++Next;
    }
  EXPECT_EQ(Next, Parts.end());
  return P;
}

/// Two threads that each write to x and look at it, the second behind a fence.
TEST(StoreToLoad, IsOfTheSameBytes) {
  const Program P = parseLitmus("litmus \"t\" node 1 { x; r; s; } node 2 { z; }\n"
                                "thread 1 @ 1 { x := 1; r := x; }\n"
                                "thread 2 @ 1 { x := 2; mfence; s := x; }",
                                "t")
                        .Code;
  auto isInOrder = [&](std::vector<std::pair<int, int>> Parts) {
    return decide(inBytes(P, std::move(Parts)), Model::RdmaTso).Cycles;
  };
  EXPECT_TRUE(isInOrder({{0, 8}, {0, 8}, {0, 8}, {4, 4}}));
  EXPECT_TRUE(isInOrder({{0, 8}, {4, 4}, {4, 4}, {0, 4}}));
  EXPECT_FALSE(isInOrder({{0, 4}, {0, 8}, {4, 4}, {0, 4}}));  // beyond the end
  EXPECT_FALSE(isInOrder({{4, 4}, {0, 8}, {0, 4}, {4, 4}}));  // in front of the beginning
  EXPECT_FALSE(isInOrder({{0, 16}, {8, 4}, {8, 4}, {0, 4}})); // perhaps not all of it is stored
}

/// The assume finds what the thread itself wrote to other bytes of the word.
TEST(StoreToLoad, IsNotWhenItOverwritesPartOfTheWord) {
  const Program P = parseLitmus("litmus \"t\" node 1 { x; y; r; s; } node 2 { z; }\n"
                                "thread 1 @ 1 { x := 0; x := 1; assume(x == 1); r := y; }\n"
                                "thread 2 @ 1 { y := 1; mfence; s := x; x := 2; }",
                                "t")
                        .Code;
  EXPECT_FALSE(decide(inBytes(P, {{0, 8}, {0, 4}, {0, 8}, {4, 4}, {4, 4}}), Model::RdmaTso).Cycles);
}

/// Of bytes that may be others nothing is known, nor of a number that is kept in fewer bits than it has.
TEST(StoreToLoad, IsOfWholeWords) {
  Program Bytes = looksAt("", "r := x;");
  for (Object &O : Bytes.Objects)
    O.Word = false;
  EXPECT_FALSE(decide(Bytes, Model::RdmaTso).Cycles);
  // The word has one byte: what is kept there of 258 is the 2 that the thread itself stores.
  Program P = looksAt("assume(x == 258);");
  for (Statement &S : P.Threads[0].Statements)
    if (S.Op.Kind == OperationKind::Store && constantOf(S.Op.Value) == 0)
      S.Op.Value = Expression{Term{.Constant = 2}};
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements)
      for (Access *A : {&S.Op.Local, &S.Op.Result})
        A->End = A->valid() ? 1 : A->End;
  EXPECT_FALSE(decide(P, Model::RdmaTso).Cycles);
}

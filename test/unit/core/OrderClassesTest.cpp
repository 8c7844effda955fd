// All earlier accesses in one pass, against each of them alone and against the definition.
#include "Definition.h"
#include "OrderTable.h"
#include "RandomThreads.h"
#include "analyzer/core/GuaranteedBefore.h"
#include "analyzer/core/Verdict.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

using namespace rdma;

namespace {

/// Where loops meet, one pass knows as much as a pass for each, or more. How often more.
unsigned compare(const std::string &Text, Model M) {
  Program P = parseLitmus(Text, "random.litmus").Code;
  EventGraph G = eventGraph(P, 0);
  OrderTable Table(P, G, M);
  GuaranteedBefore Alone(P, G, M);
  unsigned More = 0;
  std::uint64_t Open = 0;
  for (EventId E : G.Order) {
    if (G.Events[E].Joins)
      continue;
    GuaranteedBefore::After After = Alone.after(E);
    for (EventId L : G.Order) {
      if (G.Events[L].Joins)
        continue;
      Open += Table.open(E, L);
      EXPECT_EQ(Table.reached(E, L), After.Reached[L]) << Text;
      EXPECT_TRUE(!After.Ordered[L] || Table.ordered(E, L))
          << name(M) << ": " << name(G.Events[E].Ref.Kind) << " and " << name(G.Events[L].Ref.Kind) << " of\n"
          << Text;
      More += Table.ordered(E, L) && !After.Ordered[L];
    }
  }
  EXPECT_EQ(Table.Unordered, Open) << "counted without a list, of\n" << Text;
  return More;
}

TEST(OrderClasses, KnowWhatEachAccessAloneKnows) {
  unsigned More = 0;
  for (unsigned Seed = 1; Seed <= 2000 && !testing::Test::HasFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    std::string Text = "litmus \"r\" node 1 { a; b; } node 2 { x; } node 3 { u; } queue c;\nthread 1 @ 1 { ";
    if (Seed % 4 == 0)
      Text += "pair p -> 2 queue c; pair q -> 3 queue c; ";
    Text += randomBlock(Random, 2, Seed % 4 == 0) + randomBlock(Random, 2, Seed % 4 == 0) + "}\n";
    More += compare(Text, Seed / 2 % 2 ? Model::RdmaTso : Model::RdmaSc);
  }
  RecordProperty("MoreThanAlone", More);
}

TEST(OrderClasses, EndWhereCountsHaveNoEnd) {
  Program P = parseLitmus("litmus \"t\" node 1 { a; b; } node 2 { x; } node 3 { y; } queue c;\n"
                          "thread 1 @ 1 { pair p -> 2 queue c; pair q -> 3 queue c;\n"
                          "put x <- a via p; loop { put y <- b via q; } poll(c); a := 1; }",
                          "t")
                  .Code;
  EXPECT_FALSE(decide(P, Model::RdmaTso).Ldrf);
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore(P, G, Model::RdmaTso).after(G.Order[2]);
}

/// Requests on many queue pairs, each polled: what is asked of each pair of them cannot be done one by one.
TEST(OrderClasses, AreFewHoweverLongTheThread) {
  std::string Text = "litmus \"t\" node 1 { a; }";
  for (unsigned Q = 2; Q < 66; ++Q)
    Text += " node " + std::to_string(Q) + " { x" + std::to_string(Q) + "; }";
  Text += " thread 1 @ 1 {";
  std::mt19937 Random(1);
  for (unsigned I = 0; I < 20000; ++I) {
    std::string Q = std::to_string(2 + Random() % 64);
    Text += " put x" + Q + " <- a; poll(" + Q + ");";
  }
  Verdict V = decide(parseLitmus(Text + "}", "t").Code, Model::RdmaTso);
  EXPECT_TRUE(V.robust());
  // Every pair but those of a write at another node with what follows it.
  EXPECT_GT(V.PairsOrdered, 20000ull * 20000);
}

} // namespace

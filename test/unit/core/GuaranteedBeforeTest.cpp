// The must-analysis against the definition of guaranteed-before, written out for straight-line threads.
#include "analyzer/core/GuaranteedBefore.h"

#include "Definition.h"
#include "OrderTable.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <random>

using namespace rdma;

namespace {

/// Straight-line threads on node 1 towards nodes 2 (polled) and 3 (waited for). Never more polls than
/// completions. Mixed: node 2 is waited for too.
std::string randomThread(std::mt19937 &Random, bool Mixed = false) {
  auto Pick = [&](std::initializer_list<const char *> Of) { return *(Of.begin() + Random() % Of.size()); };
  std::string Text = "litmus \"r\" node 1 { a; b; c; } node 2 { x; y; } node 3 { u; v; }\nthread 1 @ 1 {\n";
  unsigned Completions = 0;
  for (unsigned I = 0, Count = 3 + Random() % 8; I < Count; ++I) {
    bool Two = Random() % 2;
    std::string Remote = Two ? Pick({"x", "y"}) : Pick({"u", "v"});
    std::string Local = Pick({"a", "b", "c"});
    const char *Id = Two && !Mixed ? "" : Pick({" #d", " #e", ""});
    std::string Flags = std::string(Id) + Pick({"", "", "", " fenced"});
    bool Unsignaled = Two && Random() % 4 == 0;
    switch (Random() % 11) {
    case 0:
    case 1:
    case 2:
      Text += "put " + Remote + " <- " + Local + Flags + (Unsignaled ? " unsignaled" : "") +
              Pick({"", "", " inline"}) + ";\n";
      Completions += Two && !Unsignaled && !*Id;
      break;
    case 3:
    case 4:
      Text += "get " + Local + " <- " + Remote + Flags + (Unsignaled ? " unsignaled" : "") + ";\n";
      Completions += Two && !Unsignaled && !*Id;
      break;
    case 5:
      Text += "rfaa " + Local + " <- " + Remote + " (1)" + Flags + ";\n";
      Completions += Two && !*Id;
      break;
    case 6:
      Text += std::string("rfence(") + (Two ? "2" : "3") + ");\n";
      break;
    case 7:
      Text += Local + " := " + Pick({"a", "b", "c"}) + ";\n";
      break;
    case 8:
      Text += "mfence;\n";
      break;
    case 9:
      Text += std::string("wait(") + Pick({"d", "e"}) + ");\n";
      break;
    default:
      if (Completions) {
        --Completions;
        Text += "poll(2);\n";
      }
    }
  }
  return Text + "}\n";
}

/// Both orders of every pair of events of a straight line.
struct Compared {
  bool Found, Defined;
  std::string Pair;
};

std::vector<Compared> compare(const std::string &Text, Model M) {
  Program P = parseLitmus(Text, "random.litmus").Code;
  Definition D(P, M);
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore Gb(P, G, M);
  OrderTable InOnePass(P, G, M);
  // Both list the events of a straight line in program order.
  std::vector<EventId> Line;
  for (EventId E : G.Order)
    if (!G.Events[E].Joins)
      Line.push_back(E);
  EXPECT_EQ(Line.size(), D.Events.size()) << Text;
  std::vector<Compared> Out;
  for (std::size_t I = 0; I < Line.size(); ++I) {
    GuaranteedBefore::After After = Gb.after(Line[I]);
    auto describe = [&](std::size_t E) {
      return std::string(name(G.Events[Line[E]].Ref.Kind)) + " (event " + std::to_string(E) + ")";
    };
    for (std::size_t J = I + 1; J < Line.size(); ++J) {
      EXPECT_EQ(InOnePass.ordered(Line[I], Line[J]), D.Gb[I][J]) << describe(I) << describe(J) << Text;
      Out.push_back({After.Ordered[Line[J]], D.Gb[I][J],
                     std::string(name(M)) + ": " + describe(I) + " and " + describe(J) + " of\n" + Text});
    }
  }
  return Out;
}

TEST(GuaranteedBefore, EqualsTheDefinitionOnStraightLines) {
  for (unsigned Seed = 1; Seed <= 4000; ++Seed) {
    std::mt19937 Random(Seed);
    std::string Text = randomThread(Random, Seed % 2);
    for (Model M : {Model::RdmaTso, Model::RdmaSc})
      for (const Compared &C : compare(Text, M))
        ASSERT_EQ(C.Found, C.Defined) << C.Pair;
  }
}

bool races(const std::string &Body) {
  Program P =
      parseLitmus("litmus \"t\" node 1 { x; a; } node 2 { y; } node 3 { z; }\nthread 1 @ 1 {" + Body + "}",
                  "t")
          .Code;
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore Gb(P, G, Model::RdmaSc);
  for (EventId E : G.Order)
    for (EventId L : G.Order)
      if (G.Events[E].Ref.Kind == nlR && G.Events[L].Ref.Kind == lW && Gb.after(E).Reached[L] &&
          !Gb.after(E).Ordered[L])
        return true;
  return false;
}

/// Is each event of the one kind before each later one of the other, on each path?
bool orders(const std::string &Body, EventKind Earlier, EventKind Later, Model M) {
  Program P =
      parseLitmus("litmus \"t\" node 1 { a; b; } node 2 { x; } thread 1 @ 1 {" + Body + "}", "t").Code;
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore Gb(P, G, M);
  unsigned Pairs = 0;
  for (EventId E : G.Order) {
    if (G.Events[E].Ref.Kind != Earlier)
      continue;
    GuaranteedBefore::After After = Gb.after(E);
    for (EventId L : G.Order)
      if (G.Events[L].Ref.Kind == Later && After.Reached[L]) {
        ++Pairs;
        if (!After.Ordered[L])
          return false;
      }
  }
  return Pairs > 0;
}

// ROBUST Fig. 5: the pairs marked as ordered by nothing more, statement by statement.
TEST(GuaranteedBefore, KnowsWhatNeedsNoRemedy) {
  const std::pair<EventKind, std::string> Operations[] = {
      {CAS, "a := cas(b, 0, 1);"}, {lW, "a := 1;"},      {nlR, "put x <- a;"},   {nrW, "put x <- a inline;"},
      {narR, "rfaa a <- x (1);"},  {nrR, "get a <- x;"}, {lR, "assume(a == 0);"}};
  for (Model M : {Model::RdmaTso, Model::RdmaSc})
    for (auto &[Later, Text] : Operations) {
      for (auto &[Earlier, Before] : {std::pair(lR, "assume(b == 0);"), std::pair(CAS, "a := cas(b, 0, 1);"),
                                      std::pair(P, "put x <- 1; poll(2);")})
        EXPECT_TRUE(orders(std::string(Before) + Text, Earlier, Later, M))
            << name(M) << ": " << Before << " " << Text;
      if (Later != lR)
        EXPECT_TRUE(orders("a := 1;" + Text, lW, Later, M)) << name(M) << ": " << Text;
    }
  const std::tuple<EventKind, EventKind, std::string> Same[] = {
      {nlR, nlR, "put x <- a; put x <- b;"},
      {nlR, nrW, "put x <- a;"},
      {nlR, nrW, "put x <- a; put x <- b inline;"},
      {nlR, narR, "put x <- a; rfaa b <- x (1);"},
      {nrW, narR, "put x <- a; rfaa b <- x (1);"},
      {nrW, nrR, "put x <- a; get b <- x;"},
      {narR, narR, "rfaa a <- x (1); rfaa b <- x (1);"},
      {narR, nrR, "rfaa a <- x (1); get b <- x;"},
      {narR, narR, "rcas a <- x (0, 1); rcas b <- x (0, 1);"},
      {narR, nrR, "rcas a <- x (0, 1); get b <- x;"},
      {narR, nlW, "rcas a <- x (0, 1);"},
      {narR, nrW, "rfaa a <- x (1); put x <- b inline;"},
      {narW, narR, "rfaa a <- x (1); rfaa b <- x (1);"},
      {narW, nrR, "rfaa a <- x (1); get b <- x;"},
      {nrR, nlW, "get a <- x;"},
      {nlW, nlW, "get a <- x; get b <- x;"},
      {nF, nrW, "rfence(2); put x <- a inline;"},
      {nF, narR, "rfence(2); rfaa a <- x (1);"}};
  for (Model M : {Model::RdmaTso, Model::RdmaSc})
    for (auto &[Earlier, Later, Text] : Same)
      EXPECT_TRUE(orders(Text, Earlier, Later, M)) << name(M) << ": " << Text;
}

TEST(GuaranteedBefore, CountsCompletionsOnEveryPath) {
  EXPECT_FALSE(races("put y <- x; put y <- a; poll(2); poll(2); x := 1; a := 1;"));
  EXPECT_TRUE(races("put y <- a; put y <- x; poll(2); x := 1;"));
  EXPECT_TRUE(races("choose { put y <- a; } or { } put y <- x; poll(2); x := 1;"));
  EXPECT_FALSE(races("choose { put y <- a; poll(2); } or { } put y <- x; poll(2); x := 1;"));
  EXPECT_FALSE(races("put y <- x; choose { poll(2); } or { poll(2); mfence; } x := 1;"));
  EXPECT_TRUE(races("put y <- x; loop { poll(2); } x := 1;"));
}

TEST(GuaranteedBefore, LoopsThatPostWithoutPollingAreNeverCaughtUpWith) {
  EXPECT_FALSE(races("loop { x := 1; put y <- x; poll(2); } x := 2;"));
  EXPECT_TRUE(races("loop { put y <- a; } put y <- x; poll(2); poll(2); poll(2); x := 2;"));
  EXPECT_TRUE(races("loop { x := 1; put y <- x; }"));
}

// At most as many completions wait for polls as requests leave one to them; a loop that adds more has no end.
// Requests that are waited for by their own identifier are not among them.
TEST(GuaranteedBefore, OutstandingCompletionsAreThoseOfRequestsForPolls) {
  const std::string Own = "put y <- a #w; wait(w); ";
  EXPECT_FALSE(races("put y <- a; put y <- a; put y <- x; poll(2); poll(2); poll(2); x := 1;"));
  EXPECT_TRUE(races("put y <- a; put y <- a; put y <- x; poll(2); poll(2); x := 1;"));
  EXPECT_FALSE(races(Own + "put y <- a; " + Own + "put y <- x; poll(2); poll(2); x := 1;"));
  EXPECT_TRUE(races("put y <- a; put y <- a #w; put y <- x; poll(2); x := 1; wait(w);"));
  EXPECT_TRUE(
      races("loop { put y <- a; " + Own + "} put y <- x; poll(2); poll(2); poll(2); poll(2); x := 1;"));
  EXPECT_FALSE(races("loop { put y <- a; " + Own + "poll(2); } put y <- x; poll(2); x := 1;"));
}

TEST(GuaranteedBefore, UnsignaledRequestsAreCoveredByALaterSignal) {
  EXPECT_FALSE(races("put y <- x unsignaled; put y <- a; poll(2); x := 1;"));
  EXPECT_TRUE(races("put y <- a; put y <- x unsignaled; poll(2); x := 1;"));
  EXPECT_TRUE(races("put y <- x unsignaled; put z <- a; poll(3); x := 1;"));
}

TEST(GuaranteedBefore, SharedCompletionQueuesCountWhatMayOvertake) {
  Program P = parseLitmus("litmus \"t\" node 1 { x; a; } node 2 { y; } node 3 { z; }\n"
                          "thread 1 @ 1 { put y <- x; put z <- a; poll(2); x := 1; poll(2); x := 2; }",
                          "t")
                  .Code;
  P.QueuePairs[1].Queue = P.QueuePairs[0].Queue;
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore Gb(P, G, Model::RdmaSc);
  std::vector<bool> Ordered;
  for (EventId E : G.Order)
    if (G.Events[E].Ref.Kind == nlR) {
      GuaranteedBefore::After After = Gb.after(E);
      for (EventId L : G.Order)
        if (G.Events[L].Ref.Kind == lW)
          Ordered.push_back(After.Ordered[L]);
      break;
    }
  EXPECT_EQ(Ordered, (std::vector<bool>{false, true}))
      << "the first completion may be the other queue pair's";
}

} // namespace

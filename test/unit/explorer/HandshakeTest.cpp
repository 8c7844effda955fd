// Threads that wait for each other, as those do that start and join one another.
#include "Properties.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"

#include <gtest/gtest.h>

#include <random>

using namespace rdma;
using namespace rdma::test;

namespace {

/// One thread stores to a flag that another of its node waits for, and that may answer. Sometimes the flag
/// says less: the NIC writes it, a third thread writes it too, or it lets the other pass from the beginning.
RandomProgram withHandshakes(RandomProgram P, std::uint64_t Seed) {
  std::mt19937_64 Random(Seed);
  auto insert = [&](unsigned Thread, std::size_t At, const std::string &Text) {
    auto &Body = P.Threads[Thread].Body;
    Body.insert(Body.begin() + std::min(At, Body.size()), {Text, {}});
  };
  unsigned Flags = 0;
  auto handshake = [&](unsigned From, std::size_t Stored, unsigned To, std::size_t Awaited) {
    std::string Flag = "flag" + std::to_string(++Flags);
    P.Locations.push_back({P.Threads[From].Node, Flag});
    insert(To, Awaited, "assume(" + Flag + (Random() % 10 ? " == 1);" : " == 0);"));
    insert(From, Stored, Random() % 10 ? Flag + " := 1;" : "put " + Flag + " <- 1;");
    for (unsigned Third = 0; Third < P.Threads.size(); ++Third)
      if (Third != From && Third != To && Random() % 6 == 0)
        insert(Third, Random() % 3, "put " + Flag + " <- 1;");
  };
  for (unsigned From = 0; From < P.Threads.size(); ++From)
    for (unsigned To = 0; To < P.Threads.size(); ++To)
      if (From != To && P.Threads[From].Node == P.Threads[To].Node && Random() % 2) {
        std::size_t Stored = Random() % (P.Threads[From].Body.size() + 1);
        handshake(From, Stored, To, Random() % 3 ? 0 : Random() % 3);
        if (Random() % 2) // the other has ended
          handshake(To, 99, From, Stored + 1 + Random() % 2);
        return P;
      }
  return P;
}

void expectSound(std::uint64_t First, std::uint64_t Count, const Shape &S) {
  std::uint64_t Before = ProvedRobust;
  for (std::uint64_t Seed = First; Seed < First + Count; ++Seed) {
    RandomProgram P = withHandshakes(randomProgram(Seed, S), Seed);
    std::optional<std::string> Reason = conditionsAreSound(P);
    if (!Reason)
      continue;
    RandomProgram Small =
        shrink(P, [&](const RandomProgram &Less) { return conditionsAreSound(Less) == Reason; });
    FAIL() << "seed " << Seed << ": " << *Reason << "\n" << Small.text("counterexample");
  }
  EXPECT_GT(ProvedRobust - Before, Count / 5) << "few programs met the premises";
}

} // namespace

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

TEST(Handshakes, AreSound) { expectSound(700'000, 3000, {}); }
TEST(Handshakes, AreSoundBesideChoices) { expectSound(710'000, 1500, {.Choices = true}); }
TEST(Handshakes, AreSoundInLoops) {
  expectSound(720'000, 500, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true});
}

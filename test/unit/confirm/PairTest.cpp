// The search for an execution that breaks one pair: with and without reduction, and by one late operation.
#include "analyzer/confirm/Slice.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Witness.h"
#include "test/unit/explorer/Properties.h"

#include <gtest/gtest.h>

using namespace rdma;
using namespace rdma::test;
using explorer::PairSearch;
using namespace std::chrono_literals;

namespace {

unsigned Broken, BrokenByOneLate;

std::vector<Violation> violations(const Program &P, Model M) {
  Verdict V = decide(P, M);
  std::vector<Violation> All = V.AtomicityBreaks;
  for (const auto *More : {&V.LocalRaces, &V.OpenCycles, &V.UnfencedPairs})
    All.insert(All.end(), More->begin(), More->end());
  return All;
}

/// The reduction loses no pair, and what one late operation breaks is broken.
std::optional<std::string> searchesAgree(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc})
    for (const Violation &V : violations(P, M)) {
      std::optional<Slice> Part = slice(P, V, SliceOf::Whole);
      if (!Part)
        return "no slice";
      PairSearch All = findWitness(Part->Code, M, Part->Pair, false, {.Timeout = 2s});
      PairSearch Plain = findWitness(Part->Code, M, Part->Pair, false, {.Timeout = 100ms, .Reduce = false});
      PairSearch OneLate = findWitness(Part->Code, M, Part->Pair, true, {.Timeout = 2s});
      Broken += All.Found.has_value();
      BrokenByOneLate += OneLate.Found.has_value();
      std::string Under = " (" + std::string(name(M)) + ")";
      if (All.complete() && Plain.complete() && All.Found.has_value() != Plain.Found.has_value())
        return (All.Found ? "found by reduction only" : "lost by reduction") + Under;
      if (OneLate.Found && All.complete() && !All.Found)
        return "one late operation breaks what nothing breaks" + Under;
      if (All.Found && !Part->Pair.Torn && All.Found->Cycle.empty())
        return "broken, but not on a cycle" + Under;
    }
  return std::nullopt;
}

void expectAgreement(std::uint64_t First, std::uint64_t Count, const Shape &S) {
  Broken = BrokenByOneLate = 0;
  auto Found = search(First, Count, S, searchesAgree);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
  EXPECT_GT(Broken, Count / 4) << "few pairs were broken";
  EXPECT_GT(BrokenByOneLate, Broken * 3 / 4) << "one late operation should nearly always do";
  testing::Test::RecordProperty("broken", Broken);
  testing::Test::RecordProperty("broken by one late operation", BrokenByOneLate);
}

} // namespace

TEST(Pairs, StraightLinePrograms) { expectAgreement(1, 20, {.MaxStatements = 3}); }
TEST(Pairs, TwoThreads) { expectAgreement(5000, 80, {.MaxThreads = 2, .MaxStatements = 3}); }
TEST(Pairs, LockWords) { expectAgreement(9000, 12, {.MaxThreads = 2, .MaxStatements = 2, .Locks = true}); }

// Findings said to be confirmed, against the other engine, on random programs.
#include "analyzer/confirm/Confirm.h"

#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Declarative.h"
#include "analyzer/report/Explain.h"
#include "test/unit/explorer/Properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace rdma;
using namespace rdma::test;
using std::chrono_literals::operator""s;

namespace {

unsigned Confirmed, Refuted;

std::vector<Finding> confirmedFindings(const Program &P, Model M) {
  std::vector<Finding> Findings = explain(P, decide(P, M));
  std::erase_if(Findings, [](const Finding &F) { return F.Level != Severity::Warning; });
  confirm(Findings, P, M, {.Timeout = 2s, .Unroll = 2}, false);
  return Findings;
}

std::optional<bool> declaredRobust(const Program &P, Model M) {
  return explorer::enumerateRobust(P, M, {.Timeout = 2s, .Unroll = 2}).Robust;
}

/// The declarative engine follows loops for a few rounds only.
std::optional<bool> exploredRobust(const Program &P, Model M) {
  explorer::Robustness R = explorer::checkRobust(P, M, {.Timeout = 2s, .Unroll = 2});
  return R.Robust == true && R.Bounded ? std::nullopt : R.Robust;
}

/// A confirmed finding means that another engine says not robust; a program that is not robust has a
/// confirmed finding.
template <std::optional<bool> Judge(const Program &, Model)>
std::optional<std::string> confirmationsAreTrue(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    std::string Under = " (" + std::string(name(M)) + ")";
    std::vector<Finding> Findings = confirmedFindings(P, M);
    bool Any = false, Complete = true;
    for (const Finding &F : Findings) {
      Any |= F.Shown->confirmed();
      Complete &= F.Shown->Complete;
      Confirmed += F.Shown->confirmed();
      Refuted += F.Shown->Complete;
      auto Shown = std::count_if(F.Shown->Execution.begin(), F.Shown->Execution.end(),
                                 [](const ExecutionStep &S) { return S.Shows; });
      if (F.Shown->confirmed() && Shown < 2)
        return "an execution that shows nothing" + Under;
    }
    std::optional<bool> Robust = Judge(P, M);
    if (Any && Robust == true)
      return "confirmed, but robust" + Under;
    if (!Any && Complete && Robust == false)
      return "not robust, but no finding is confirmed" + Under;
  }
  return std::nullopt;
}

void expectTrue(std::uint64_t First, std::uint64_t Count, const Shape &S,
                const Property &Holds = confirmationsAreTrue<declaredRobust>) {
  Confirmed = Refuted = 0;
  auto Found = search(First, Count, S, Holds);
  EXPECT_FALSE(Found) << "seed " << Found->Seed << ": " << Found->Reason << "\n"
                      << Found->Program.text("counterexample");
  EXPECT_GT(Confirmed, Count / 4) << "few findings were confirmed";
  EXPECT_GT(Refuted, Count / 20) << "few findings were false alarms";
}

} // namespace

TEST(Confirm, StraightLinePrograms) { expectTrue(1, 300, {}); }
TEST(Confirm, WithChoices) { expectTrue(20000, 120, {.Choices = true}); }
TEST(Confirm, LockWords) { expectTrue(40000, 400, {.MaxThreads = 2, .MaxStatements = 2, .Locks = true}); }
TEST(Confirm, WithLoops) {
  expectTrue(60000, 150, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true},
             confirmationsAreTrue<exploredRobust>);
}

TEST(Confirm, LitmusFilesAreRobustOrHaveAConfirmedFinding) {
  unsigned Weak = 0;
  for (const auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus")) {
    if (Entry.path().extension() != ".litmus")
      continue;
    Program P = readLitmus(Entry.path().string()).Code;
    for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
      std::vector<Finding> Findings = confirmedFindings(P, M);
      bool Any = std::any_of(Findings.begin(), Findings.end(), [](auto &F) { return F.Shown->confirmed(); });
      EXPECT_EQ(explorer::checkRobust(P, M).Robust, !Any) << Entry.path() << " under " << name(M);
      Weak += Any;
    }
  }
  EXPECT_GT(Weak, 40u);
}

// device-litmus: litmus programs as verbs programs on the weak device. Every outcome seen must be one that
// the explorer allows.
#include "analyzer/tools/LitmusCheck.h"
#include "analyzer/tools/Options.h"
#include "test/device/Runs.h"

#include <algorithm>
#include <charconv>
#include <iostream>

using namespace rdma;

namespace {

struct Asked {
  uint64_t First = 1, Seeds = 1000;
  bool All = false; ///< fail when an allowed outcome is not seen
};

uint64_t numberFrom(const std::string &Text, uint64_t Least) {
  uint64_t Number = 0;
  auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Error != std::errc() || End != Text.data() + Text.size() || Number < Least)
    throw UsageError("not a number of " + std::to_string(Least) + " or more: '" + Text + "'");
  return Number;
}

struct Tried {
  std::map<explorer::Outcome, uint64_t> Seen; ///< with the first seed
  uint64_t Unfinished = 0;
};

Tried tryAll(const Program &P, const test::Devices &D, Model M, const Asked &A) {
  test::Runs Runs(P, D, M);
  Tried T;
  for (uint64_t Seed = A.First; Seed < A.First + A.Seeds; ++Seed) {
    if (std::optional<explorer::Outcome> O = Runs.run(Seed))
      T.Seen.try_emplace(*O, Seed);
    else
      ++T.Unfinished;
  }
  return T;
}

/// Prints the file's line, and one more for each outcome that one side has and the other has not.
bool compare(const LitmusTest &Test, const test::Devices &D, Model M, const Asked &A) {
  explorer::Exploration Allowed = explorer::explore(Test.Code, M);
  if (Allowed.Bounded || Allowed.TimedOut)
    throw UsageError(Test.Code.Name + ": the explorer does not know all outcomes");
  Tried T = tryAll(Test.Code, D, M, A);
  std::vector<std::string> Lines;
  bool Sound = true, Complete = true;
  size_t Reached = 0;
  for (auto &[O, Seed] : T.Seen) {
    bool IsAllowed = Allowed.Outcomes.contains(O);
    Reached += IsAllowed;
    Sound &= IsAllowed;
    if (!IsAllowed)
      Lines.push_back("  not allowed, seed " + std::to_string(Seed) + ": " + describe(Test.Code, O));
  }
  for (const explorer::Outcome &O : Allowed.Outcomes)
    if (!T.Seen.contains(O)) {
      Complete = false;
      Lines.push_back("  not reached: " + describe(Test.Code, O));
    }
  std::cout << Test.Code.Name << " " << name(M) << ": " << A.Seeds << " seeds, " << Reached << " of "
            << Allowed.Outcomes.size() << " outcomes";
  if (T.Unfinished)
    std::cout << ", " << T.Unfinished << " runs without end left out";
  std::cout << "\n";
  for (const std::string &Line : Lines)
    std::cout << Line << "\n";
  std::cout.flush();
  return Sound && (Complete || !A.All);
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("device-litmus", [&] {
    Asked A;
    Options O =
        parseOptions(Argc, Argv, "runs litmus programs on the weak device, against the explorer",
                     {{"seeds", true, "runs of a file (1000)", [&](auto &V) { A.Seeds = numberFrom(V, 1); }},
                      {"first", true, "the first seed (1)", [&](auto &V) { A.First = numberFrom(V, 0); }},
                      {"all", false, "every allowed outcome has to be seen", [&](auto &) { A.All = true; }}});
    std::vector<LitmusTest> Tests;
    for (const std::string &File : O.Files)
      Tests.push_back(readLitmus(File));
    size_t Most = 1;
    for (const LitmusTest &T : Tests)
      Most = std::max(Most, T.Code.Nodes.size());
    test::Devices D(static_cast<unsigned>(Most));
    bool Good = true;
    for (const LitmusTest &T : Tests)
      Good &= compare(T, D, O.CpuModel, A);
    return Good ? 0 : 1;
  });
}

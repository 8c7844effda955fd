// device-litmus: litmus programs as verbs programs on the weak device. Every outcome seen must be one that
// the explorer allows.
#include "analyzer/tools/LitmusCheck.h"
#include "analyzer/tools/Options.h"
#include "test/device/Runs.h"

#include <algorithm>
#include <charconv>
#include <getopt.h>
#include <iostream>

using namespace rdma;

namespace {

struct Asked {
  std::vector<std::string> Files;
  Model CpuModel = Model::RdmaTso;
  bool Threads = false; ///< on real processors
  uint64_t First = 1, Seeds = 1000;
  uint64_t Most = 0; ///< of seeds, until every allowed outcome is seen; 0: that is not asked
};

uint64_t numberFrom(const std::string &Text, uint64_t Least) {
  uint64_t Number = 0;
  auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Error != std::errc() || End != Text.data() + Text.size() || Number < Least)
    throw UsageError("not a number of " + std::to_string(Least) + " or more: '" + Text + "'");
  return Number;
}

struct Sightings {
  uint64_t First, Count; ///< the first seed; in how many runs
};

struct Tried {
  std::map<explorer::Outcome, Sightings> Seen;
  uint64_t Seeds = 0, Unfinished = 0;
};

/// Wanted: how many outcomes there are.
Tried tryAll(const Program &P, const test::Devices &D, const Asked &A, size_t Wanted) {
  using test::Cpus;
  test::Runs Runs(P, D, A.Threads ? Cpus::Real : A.CpuModel == Model::RdmaTso ? Cpus::Buffered : Cpus::Plain);
  Tried T;
  for (; T.Seeds < A.Seeds || (T.Seeds < A.Most && T.Seen.size() < Wanted); ++T.Seeds) {
    uint64_t Seed = A.First + T.Seeds;
    if (std::optional<explorer::Outcome> O = Runs.run(Seed))
      ++T.Seen.try_emplace(*O, Seed, 0).first->second.Count;
    else
      ++T.Unfinished;
  }
  return T;
}

/// Prints the file's line, and one more for each outcome that one side has and the other has not.
bool compare(const LitmusTest &Test, const test::Devices &D, const Asked &A) {
  explorer::Exploration Allowed = explorer::explore(Test.Code, A.CpuModel);
  if (Allowed.Bounded)
    throw UsageError(Test.Code.Name + ": a loop without bound: the explorer does not know all outcomes");
  Tried T = tryAll(Test.Code, D, A, Allowed.Outcomes.size());
  std::vector<std::string> Lines;
  bool Sound = true, Complete = true;
  size_t Reached = 0;
  uint64_t Rarest = T.Seeds;
  for (auto &[O, When] : T.Seen) {
    Rarest = std::min(Rarest, When.Count);
    bool IsAllowed = Allowed.Outcomes.contains(O);
    Reached += IsAllowed;
    Sound &= IsAllowed;
    if (!IsAllowed)
      Lines.push_back("  not allowed, seed " + std::to_string(When.First) + ": " + describe(Test.Code, O));
  }
  for (const explorer::Outcome &O : Allowed.Outcomes)
    if (!T.Seen.contains(O)) {
      Complete = false;
      Lines.push_back("  not reached: " + describe(Test.Code, O));
    }
  std::cout << Test.Code.Name << " " << name(A.CpuModel) << ": " << T.Seeds << " seeds, " << Reached << " of "
            << Allowed.Outcomes.size() << " outcomes, the rarest of them " << Rarest << " times";
  if (T.Unfinished)
    std::cout << ", " << T.Unfinished << " runs without end left out";
  std::cout << "\n";
  for (const std::string &Line : Lines)
    std::cout << Line << "\n";
  std::cout.flush();
  return Sound && (Complete || !A.Most);
}

void printHelp() {
  std::cout
      << "usage: device-litmus [options] FILE...\n"
         "runs litmus programs on the weak device, against the explorer\n\n"
         "  --model=…   rdma-tso (the default), with store buffers, or rdma-sc\n"
         "  --seeds=N   runs of a file (1000)\n"
         "  --first=N   the first seed (1)\n"
         "  --threads   a thread of the system for each of the program: the processor's own store buffers\n"
         "  --all=N     go on until every allowed outcome is seen, up to N runs\n\n"
         "exit status: 0 well; 1 an outcome that is not allowed, with --all also one not seen; 2 bad "
         "input or "
         "usage\n";
}

Model modelFrom(const std::string &Name) {
  std::optional<Model> M = modelNamed(Name);
  if (!M || *M == Model::Sc)
    throw UsageError("no model '" + Name + "'; there are rdma-tso and rdma-sc");
  return *M;
}

Asked parse(int Argc, char **Argv) {
  Asked A;
  const option Long[] = {{"model", required_argument, nullptr, 'm'},
                         {"seeds", required_argument, nullptr, 's'},
                         {"first", required_argument, nullptr, 'f'},
                         {"threads", no_argument, nullptr, 't'},
                         {"all", required_argument, nullptr, 'a'},
                         {"help", no_argument, nullptr, 'h'},
                         {}};
  opterr = 0; // one line of our own instead
  for (int Code; (Code = getopt_long(Argc, Argv, "", Long, nullptr)) != -1;) {
    if (Code == 'm')
      A.CpuModel = modelFrom(optarg);
    else if (Code == 's')
      A.Seeds = numberFrom(optarg, 1);
    else if (Code == 'f')
      A.First = numberFrom(optarg, 0);
    else if (Code == 'a')
      A.Most = numberFrom(optarg, 1);
    else if (Code == 't')
      A.Threads = true;
    else if (Code == 'h')
      printHelp(), std::exit(0);
    else
      throw UsageError("unknown option or missing value: '" + std::string(Argv[optind - 1]) + "'");
  }
  A.Files.assign(Argv + optind, Argv + Argc);
  if (A.Files.empty())
    throw UsageError("no input files");
  return A;
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("device-litmus", [&] {
    Asked A = parse(Argc, Argv);
    std::vector<LitmusTest> Tests;
    for (const std::string &File : A.Files)
      Tests.push_back(readLitmus(File));
    size_t Most = 1;
    for (const LitmusTest &T : Tests)
      Most = std::max(Most, T.Code.Nodes.size());
    test::Devices D(static_cast<unsigned>(Most));
    bool Good = true;
    for (const LitmusTest &T : Tests)
      Good &= compare(T, D, A);
    return Good ? 0 : 1;
  });
}

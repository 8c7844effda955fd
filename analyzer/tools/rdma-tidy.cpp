// rdma-tidy: proves that no operation of an RDMA program can be seen out of order, or shows which two can.
#include "analyzer/clang/CommandLine.h"
#include "analyzer/clang/Extract.h"
#include "analyzer/diagram/OrderGraph.h"
#include "analyzer/report/Causes.h"
#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Pages.h"
#include "analyzer/tools/Configure.h"
#include "analyzer/tools/Confirming.h"
#include "analyzer/tools/Ends.h"
#include "analyzer/tools/Fixing.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/RunCache.h"
#include "ir/Litmus.h"
#include "ir/OrderText.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>
#include <unistd.h>

using namespace rdma;

namespace {

constexpr const char *Examples = R"(examples:
  rdma-tidy client.c server.c -- -Iinclude      both sources as one program, with these flags
  rdma-tidy -p build client.c                   flags from build/compile_commands.json
  rdma-tidy -p build                            every program of that database
  rdma-tidy --write-topology=topology.json client.c server.c --
  rdma-tidy --confirm client.c --               with an execution that shows each finding
  rdma-tidy --format=html client.c -- >page.html
  rdma-tidy --write-baseline=known.sarif ...    accept what there is today
  rdma-tidy --baseline=known.sarif ...          and hear of new findings only
  rdma-tidy --explain=rdma-local-race           the page of a check
)";

void write(const std::string &Name, const std::string &Text) {
  std::ofstream File(Name, std::ios::binary);
  if (!(File << Text << std::flush))
    throw UsageError("cannot write '" + Name + "'");
}

bool anyFailed(const Survey &A) {
  return std::any_of(A.Units.begin(), A.Units.end(), [](const SurveyedUnit &U) { return !U.Code; });
}

int statusOf(const Survey &A, FailOn On, bool IsLitmus) {
  auto Any = [&](auto Test) {
    return std::any_of(A.Findings.begin(), A.Findings.end(),
                       [&](const Finding &F) { return F.Level == Severity::Warning && Test(F); });
  };
  auto Shown = [](const Finding &F) { return F.Hidden == Hiding::Shown; };
  if (anyFailed(A))
    return 2;
  if (Any([&](const Finding &F) { return F.AsError && Shown(F); }))
    return 1;
  if (On == FailOn::Never)
    return 0;
  bool Hidden = Any([&](const Finding &F) { return !Shown(F); });
  return Any(Shown) || (IsLitmus && !A.Sum.Robust && !Hidden) ||
         (On == FailOn::Unknown && isUnknown(A.Findings, A.Sum));
}

unsigned errorsIn(const std::vector<Finding> &Findings) {
  return std::count_if(Findings.begin(), Findings.end(),
                       [](const Finding &F) { return F.AsError && F.Hidden == Hiding::Shown; });
}

struct Shape {
  bool IsLitmus, Quiet;
  TextStyle Style;
  double Seconds;
};

/// A terminal that is none of the simplest shows links.
TextStyle styleOf(const Config &C) {
  const bool Terminal = isatty(STDOUT_FILENO);
  const char *Kind = std::getenv("TERM");
  const bool Coloured = C.UseColor.value_or(Terminal);
  return {Coloured, Coloured && Terminal && Kind && std::string_view(Kind) != "dumb"};
}

void print(const Survey &A, const std::map<std::size_t, Drawing> &Drawings, const TidyOptions &T,
           const Shape &As, const nlohmann::json &Sarif) {
  std::string Line = honestLine(A.Findings, A.Sum, As.Seconds);
  if (T.Format == "json") {
    std::cout << asJson(A.Findings, A.Decided, A.Sum).dump(2) << "\n";
  } else if (T.Format == "sarif") {
    std::cout << Sarif.dump(2) << "\n";
  } else if (T.Format == "html") {
    std::cout << asHtml(A.Findings, Drawings, Line);
  } else {
    if (As.IsLitmus)
      std::cout << verdicts(A.Decided, A.Sum);
    std::cout << asText(A.Findings, {}, As.Style) << std::flush;
    if (unsigned Errors = errorsIn(A.Findings); Errors && !As.Quiet)
      std::cerr << Errors << " warning" << (Errors > 1 ? "s" : "") << " treated as error"
                << (Errors > 1 ? "s" : "") << "\n";
    std::cerr << Line;
  }
}

/// "[3/40] server", where someone looks on.
OnProgress progress(const std::vector<Unit> &Units, const Options &O) {
  if (Units.size() < 2 || O.Quiet || !isatty(STDERR_FILENO))
    return {};
  return [Count = Units.size()](unsigned Begun, const Unit &U) {
    std::cerr << "[" << Begun << "/" << Count << "] " << U.Name << "\n";
  };
}

std::string orderGraphs(const Survey &A, Model M) {
  std::string Graphs;
  for (const SurveyedUnit &U : A.Units)
    if (U.Code)
      Graphs += orderGraph(*U.Code, decide(*U.Code, M), M);
  return Graphs;
}

int emitIr(const Survey &A) {
  for (const SurveyedUnit &U : A.Units)
    if (U.Code)
      std::cout << writeLitmus(*U.Code);
  return anyFailed(A) ? 2 : 0;
}

/// C, with what the command line says too.
Config inForce(const Options &O, Config C) {
  C.ExtraArgs = O.ExtraArgs;
  C.ExtraArgsBefore = O.ExtraArgsBefore;
  C.CpuModel = name(O.CpuModel);
  C.Topology = O.Topology;
  C.OpenWorld = O.OpenWorld;
  C.Cache = O.Cache;
  return C;
}

/// What was just accepted as known is as little repaired as what was before.
FixRequest fixRequest(const Options &O, const TidyOptions &T, const Config &C) {
  FixRequest R{O, inForce(O, C), T.LineFilter};
  if (!T.WriteBaseline.empty())
    R.InForce.Baseline = T.WriteBaseline;
  return R;
}

/// What is left when the edits are made says the status, unless something could not be analysed or was shown
/// as an error, be it repaired now. With --fail-on=never, what is left is no failure either.
int fixAll(const FixRequest &R, const TidyOptions &T, const std::vector<Unit> &Units, const Survey &A,
           FailOn On, int Status) {
  if (anyFailed(A) && !T.FixErrors) {
    std::cerr << "rdma-tidy: found compile errors, but --fix-errors was not given: nothing is fixed\n";
    return Status;
  }
  std::vector<Unit> Sound;
  for (std::size_t U = 0; U < Units.size(); ++U)
    if (A.Units[U].Code)
      Sound.push_back(Units[U]);
  std::cout << std::flush;
  int Left = fixInPlace(R, Sound);
  if (Status == 2 || Left == 2)
    return 2;
  if (errorsIn(A.Findings))
    return 1;
  return On == FailOn::Never ? 0 : Left;
}

int analyse(Options O, const TidyOptions &T, const Config &C) {
  auto Begin = std::chrono::steady_clock::now();
  FailOn On = failOn(C);
  const unsigned Threads = T.Jobs ? T.Jobs : std::thread::hardware_concurrency();
  std::vector<Unit> Units = unitsOf(O);
  // Programs share sources, and are read once more to see which belong together.
  std::optional<RunCache> Compiled;
  if (Units.size() > 1 && O.Cache.empty())
    O.Cache = Compiled.emplace().path();
  if (Units.size() > 1)
    Units = joinEnds(O, std::move(Units), Threads);
  if (!T.ExportFixes.empty() && Units.size() > 1)
    throw UsageError("--export-fixes is for one program; the database has " + std::to_string(Units.size()) +
                     ": name the files of one");
  if (T.SarifFixes && (Units.size() > 1 || (T.SarifFile.empty() && T.Format != "sarif")))
    throw UsageError("--sarif-fixes is for the SARIF of one program");
  Options Main = O;
  Main.Files.clear();
  for (const Unit &U : Units)
    Main.Files.insert(Main.Files.end(), U.Files.begin(), U.Files.end());
  Selection Wanted = selection(Main, T, C);
  Survey A = survey(O, Units, Threads, progress(Units, O));
  for (const SurveyedUnit &U : A.Units)
    if (!U.Code)
      std::cerr << U.Failure << "\nrdma-tidy: '" << U.Of.Name << "' was not analysed\n";
  std::set<std::string> LeftOut;
  for (const Unit &U : Units)
    LeftOut.insert(U.LeftOut.begin(), U.LeftOut.end());
  for (const std::string &File : LeftOut)
    std::cerr << "rdma-tidy: '" << File << "' is compiled by nvcc; it was not analysed\n";
  if (!T.OrderGraph.empty())
    write(T.OrderGraph, orderGraphs(A, O.CpuModel));
  if (T.EmitIr)
    return emitIr(A);
  select(A.Findings, Wanted, Main.Files);
  if (!T.AllPairs)
    foldCauses(A.Findings);
  std::map<std::size_t, Drawing> Drawings;
  std::string Dots;
  if (T.Confirm || !T.Dot.empty() || T.Format == "html")
    Drawings = look(A, O, T, &Dots);
  if (!T.Dot.empty())
    write(T.Dot, Dots);
  nlohmann::json Sarif;
  if (T.Format == "sarif" || !T.SarifFile.empty() || !T.WriteBaseline.empty())
    Sarif = asSarif(A.Findings, A.Decided, A.Sum);
  if (!T.WriteBaseline.empty())
    write(T.WriteBaseline, Sarif.dump(2) + "\n");
  FixRequest Fixing = fixRequest(O, T, C);
  const bool Repairs = !T.SarifFixes || addFixes(Sarif, Fixing, Units.front());
  if (!T.SarifFile.empty())
    write(T.SarifFile, Sarif.dump(2) + "\n");
  std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
  bool IsLitmus = !O.Files.empty() && isLitmus(O.Files.front());
  print(A, Drawings, T, {IsLitmus, O.Quiet, styleOf(C), Time.count()}, Sarif);
  int Status = Repairs ? statusOf(A, On, IsLitmus) : 2;
  if (!T.ExportFixes.empty() && !exportFixes(Fixing, Units.front(), T.ExportFixes))
    Status = 2;
  return T.Fix || T.FixErrors ? fixAll(Fixing, T, Units, A, On, Status) : Status;
}

int writeTopology(const Options &O, const TidyOptions &T) {
  ProposedTopology Found =
      proposeTopology(extractionOptions(optionsFor(O, together(unitsOf(O)))), T.WrittenTopology);
  if (T.WrittenTopology.empty())
    std::cout << Found.Text;
  else
    write(T.WrittenTopology, Found.Text);
  std::cerr << "rdma-tidy: " << (T.WrittenTopology.empty() ? "a topology" : T.WrittenTopology)
            << ": nodes: " << Found.Nodes << ", entries: " << Found.Entries
            << ", paths of queue pairs and remote addresses: " << Found.Paths << "; "
            << (Found.Open ? std::to_string(Found.Open) + " wait as comments to be completed, then"
                           : std::string("now"))
            << " read what is \"assumed\"\n";
  return 0;
}

int listChecks(const Options &O) {
  std::cout << "Enabled checks:\n";
  for (const Check &C : allChecks())
    if (enabled(std::string(C.Name), O.Checks))
      std::cout << "    " << C.Name << "\n        " << C.Summary << "\n";
  return 0;
}

int explainCheck(const std::string &Name) {
  for (const Check &C : allChecks())
    if (C.Name == Name) {
      std::cout << pageOf(Name).Markdown;
      return 0;
    }
  throw UsageError("no check '" + Name + "'; rdma-tidy --checks=* --list-checks names them");
}

int run(Options &O, TidyOptions &T) {
  using Job = TidyOptions::Job;
  if (T.What == Job::ExplainCheck)
    return explainCheck(T.Explained);
  Config FromFile = configuration(O);
  configure(O, FromFile);
  requireChecks(O);
  Config All = joined(FromFile, T.Given);
  All.Checks = O.Checks;
  failOn(All);
  switch (T.What) {
  case Job::ListChecks:
    return listChecks(O);
  case Job::DumpConfig:
    std::cout << dumpConfig(inForce(O, All));
    return 0;
  case Job::VerifyConfig:
    selection(O, T, All);
    std::cout << "No config errors detected.\n";
    return 0;
  case Job::DumpModel:
    std::cout << ordersAsText(O.CpuModel);
    return 0;
  case Job::EmitLlvm:
    for (const Unit &U : unitsOf(O))
      std::cout << linkedCode(extractionOptions(optionsFor(O, U)));
    return 0;
  case Job::WriteTopology:
    return writeTopology(O, T);
  default:
    return analyse(O, T, All);
  }
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-tidy", [&] {
    TidyOptions T;
    CommandLine Line(Argc, Argv);
    Options O =
        parseOptions(Line.count(), Line.words(),
                     {"finds RDMA operations that can be seen out of order", Examples, true}, tidyOptions(T));
    if (!T.LimitGiven.empty() && !T.Confirm && T.Dot.empty() && T.Format != "html")
      throw UsageError("--" + T.LimitGiven + " goes with --confirm, --dot or --format=html only");
    return run(O, T);
  });
}

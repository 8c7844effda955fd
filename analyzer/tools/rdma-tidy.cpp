// rdma-tidy: proves that no operation of an RDMA program can be seen out of order, or shows which two can.
#include "analyzer/confirm/Confirm.h"
#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Pages.h"
#include "analyzer/tools/Configure.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/TidyOptions.h"
#include "analyzer/tools/WitnessFormats.h"
#include "ir/Litmus.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

using namespace rdma;

namespace {

constexpr const char *Examples = R"(examples:
  rdma-tidy client.c server.c -- -Iinclude      both sources as one program, with these flags
  rdma-tidy -p build client.c                   flags from build/compile_commands.json
  rdma-tidy --confirm client.c --               with an execution that shows each finding
  rdma-tidy --write-baseline=known.sarif ...    accept what there is today
  rdma-tidy --baseline=known.sarif ...          and hear of new findings only
  rdma-tidy --explain=rdma-local-race           the page of a check
)";

void write(const std::string &Name, const std::string &Text) {
  std::ofstream File(Name, std::ios::binary);
  if (!(File << Text << std::flush))
    throw UsageError("cannot write '" + Name + "'");
}

/// Looks for executions that show the findings, and draws them.
void look(std::vector<Finding> &Findings, const Program &P, const Options &O, const TidyOptions &T) {
  std::ostringstream Pictures;
  SourceLines Sources({});
  auto Draw = [&](const Finding &F, const Program &Part, const explorer::Witness &W) {
    Program Named = Part;
    const Place &At = F.Main.At;
    Named.Name = At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + ": " + F.Check;
    Pictures << asDot(Named, W, Sources);
  };
  std::vector<Finding> Asked = shown(Findings);
  confirm(Asked, P, O.CpuModel, T.Limits, !isLitmus(O.Files.front()), Draw);
  auto Next = Asked.begin();
  for (Finding &F : Findings)
    if (F.Hidden == Hiding::Shown)
      F = std::move(*Next++);
  if (!T.Dot.empty())
    write(T.Dot, Pictures.str());
}

/// Something is not known, and nobody said that this is as it should be.
bool isUnknown(const std::vector<Finding> &Findings, const Summary &S) {
  if (!S.Operations || !S.Asked)
    return true;
  return std::any_of(Findings.begin(), Findings.end(), [](const Finding &F) {
    return F.Withholds && F.Hidden != Hiding::Nolint && F.Hidden != Hiding::Baseline;
  });
}

int statusOf(const std::vector<Finding> &Findings, const Summary &S, FailOn On, bool IsLitmus) {
  auto Any = [&](auto Test) {
    return std::any_of(Findings.begin(), Findings.end(),
                       [&](const Finding &F) { return F.Level == Severity::Warning && Test(F); });
  };
  auto Shown = [](const Finding &F) { return F.Hidden == Hiding::Shown; };
  if (Any([&](const Finding &F) { return F.AsError && Shown(F); }))
    return 1;
  if (On == FailOn::Never)
    return 0;
  bool Hidden = Any([&](const Finding &F) { return !Shown(F); });
  return Any(Shown) || (IsLitmus && !S.Robust && !Hidden) || (On == FailOn::Unknown && isUnknown(Findings, S));
}

void print(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S, const Options &O,
           const TidyOptions &T, bool Coloured) {
  if (T.Format == "json") {
    std::cout << asJson(Findings, V, S).dump(2) << "\n";
  } else if (T.Format == "sarif") {
    std::cout << asSarif(Findings, V, S).dump(2) << "\n";
  } else {
    if (isLitmus(O.Files.front()))
      std::cout << verdicts(V, S);
    std::cout << asText(Findings, {}, Coloured) << std::flush;
  }
}

unsigned errorsIn(const std::vector<Finding> &Findings) {
  return std::count_if(Findings.begin(), Findings.end(),
                       [](const Finding &F) { return F.AsError && F.Hidden == Hiding::Shown; });
}

int analyse(const Options &O, const TidyOptions &T, const Config &C) {
  auto Begin = std::chrono::steady_clock::now();
  FailOn On = failOn(C);
  Selection Wanted = selection(O, T, C);
  Program P = readInputs(O);
  if (T.EmitIr) {
    std::cout << writeLitmus(P);
    return 0;
  }
  Verdict V = decide(P, O.CpuModel);
  std::vector<Finding> Findings = explain(P, V);
  select(Findings, Wanted, O.Files);
  if (T.Confirm || !T.Dot.empty())
    look(Findings, P, O, T);
  Summary S = summarize(P, V, O.CpuModel);
  std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
  print(Findings, V, S, O, T, C.UseColor.value_or(isatty(STDOUT_FILENO)));
  for (const std::string &File : {T.SarifFile, T.WriteBaseline})
    if (!File.empty())
      write(File, asSarif(Findings, V, S).dump(2) + "\n");
  if (T.Format == "text") {
    if (unsigned Errors = errorsIn(Findings); Errors && !O.Quiet)
      std::cerr << Errors << " warning" << (Errors > 1 ? "s" : "") << " treated as error"
                << (Errors > 1 ? "s" : "") << "\n";
    std::cerr << honestLine(Findings, S, Time.count());
  }
  return statusOf(Findings, S, On, isLitmus(O.Files.front()));
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
    All.ExtraArgs = O.ExtraArgs;
    All.ExtraArgsBefore = O.ExtraArgsBefore;
    All.CpuModel = name(O.CpuModel);
    All.Topology = O.Topology;
    All.OpenWorld = O.OpenWorld;
    std::cout << dumpConfig(All);
    return 0;
  case Job::VerifyConfig:
    selection(O, T, All);
    std::cout << "No config errors detected.\n";
    return 0;
  default:
    return analyse(O, T, All);
  }
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-tidy", [&] {
    TidyOptions T;
    Options O = parseOptions(Argc, Argv, {"finds RDMA operations that can be seen out of order", Examples},
                             tidyOptions(T));
    if (!T.LimitGiven.empty() && !T.Confirm && T.Dot.empty())
      throw UsageError("--" + T.LimitGiven + " goes with --confirm or --dot only");
    return run(O, T);
  });
}

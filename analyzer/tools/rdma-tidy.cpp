// rdma-tidy: proves that no operation of an RDMA program can be seen out of order, or shows which two can.
#include "analyzer/clang/Extract.h"
#include "analyzer/confirm/Confirm.h"
#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/WitnessFormats.h"
#include "ir/Litmus.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace rdma;

namespace {

struct OutputOptions {
  std::string Format = "text";
  bool EmitIr = false, Confirm = false;
  std::string Dot;        ///< file for pictures
  std::string LimitGiven; ///< the option that set one of Limits
  explorer::Limits Limits = {.Timeout = std::chrono::seconds(10)};
};

bool anyWarning(const std::vector<Finding> &Findings) {
  for (const Finding &F : Findings)
    if (F.Level == Severity::Warning)
      return true;
  return false;
}

/// Looks for executions that show the findings, and draws them.
void look(std::vector<Finding> &Findings, const Program &P, const Options &O, const OutputOptions &Out) {
  std::ostringstream Pictures;
  SourceLines Sources({});
  auto Draw = [&](const Finding &F, const Program &Part, const explorer::Witness &W) {
    Program Named = Part;
    const Place &At = F.Main.At;
    Named.Name = At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + ": " + F.Check;
    Pictures << asDot(Named, W, Sources);
  };
  confirm(Findings, P, O.CpuModel, Out.Limits, !isLitmus(O.Files.front()), Draw);
  if (Out.Dot.empty())
    return;
  std::ofstream File(Out.Dot);
  if (!(File << Pictures.str() << std::flush))
    throw UsageError("cannot write '" + Out.Dot + "'");
}

int analyse(const Options &O, const OutputOptions &Out) {
  auto Begin = std::chrono::steady_clock::now();
  Program P = readInputs(O);
  if (Out.EmitIr) {
    std::cout << writeLitmus(P);
    return 0;
  }
  Verdict V = decide(P, O.CpuModel);
  std::vector<Finding> Findings = selected(explain(P, V), O.Checks);
  if (Out.Confirm || !Out.Dot.empty())
    look(Findings, P, O, Out);
  Summary S = summarize(P, V, O.CpuModel);
  std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
  if (Out.Format == "json") {
    std::cout << asJson(Findings, V, S).dump(2) << "\n";
  } else if (Out.Format == "sarif") {
    std::cout << asSarif(Findings, V, S).dump(2) << "\n";
  } else {
    if (isLitmus(O.Files.front()))
      std::cout << verdicts(V, S);
    std::cout << asText(Findings) << std::flush;
    std::cerr << honestLine(Findings, S, Time.count());
  }
  return anyWarning(Findings) || (isLitmus(O.Files.front()) && !S.Robust) ? 1 : 0;
}

void listChecks() {
  for (const Check &C : allChecks())
    std::cout << C.Name << (C.Default ? "" : " (off)") << "\n    " << C.Summary << "\n";
  std::exit(0);
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-tidy", [&] {
    OutputOptions Out;
    auto SetFormat = [&Out](const std::string &Format) {
      if (Format != "text" && Format != "json" && Format != "sarif")
        throw UsageError("no format '" + Format + "'; there are text, json and sarif");
      Out.Format = Format;
    };
    Options O = parseOptions(
        Argc, Argv, "finds RDMA operations that can be seen out of order",
        {{"format", true, "text (the default), json or sarif", SetFormat},
         {"emit-ir", false, "print the extracted program as litmus text",
          [&Out](auto &) { Out.EmitIr = true; }},
         {"confirm", false, "look for an execution that shows each finding",
          [&Out](auto &) { Out.Confirm = true; }},
         {"dot", true, "--confirm, and the executions as Graphviz pictures, to this file",
          [&Out](auto &File) { Out.Dot = File; }},
         {"timeout", true, "with --confirm: seconds for all findings (10; 0: no end)",
          [&Out](auto &V) {
            Out.Limits.Timeout = timeOption("timeout", V);
            Out.LimitGiven = "timeout";
          }},
         {"unroll", true,
          "with --confirm: how many operations more than a thread has statements may be on the way (4)",
          [&Out](auto &V) {
            Out.Limits.Unroll = numberOption("unroll", V);
            Out.LimitGiven = "unroll";
          }},
         {"list-checks", false, "the checks, a line each", [](auto &) { listChecks(); }}});
    requireChecks(O);
    if (!Out.LimitGiven.empty() && !Out.Confirm && Out.Dot.empty())
      throw UsageError("--" + Out.LimitGiven + " goes with --confirm or --dot only");
    return analyse(O, Out);
  });
}

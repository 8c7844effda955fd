// rdma-fix: puts the cheapest remedy at each pair of operations that can be seen out of order.
#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/tools/Configure.h"
#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/Fix.h"
#include "rewriter/source/ExportFixes.h"

#include <fstream>
#include <iostream>

using namespace rdma;

namespace {

constexpr const char *Examples = R"(examples:
  rdma-fix client.c server.c -- -Iinclude       the fix as a diff
  rdma-fix --in-place -p build client.c         edits the file
)";

struct OutputOptions {
  bool InPlace = false, ExplainPlan = false;
  std::string ExportFile;
};

void explainPlan(const Fix &F) {
  double Sum = 0;
  for (const MadeEdit &E : F.Made) {
    std::cerr << E.Where.File << ":" << E.Where.Line << ":" << E.Where.Column << ": " << E.What << ", cost "
              << E.Cost << "\n";
    Sum += E.Cost;
  }
  std::cerr << F.Made.size() << " edits, cost " << Sum << "\n";
}

/// Findings that stay, at their places, with why nothing was inserted.
void reportLeft(const Fix &F, const Options &O) {
  std::vector<Finding> Left = selected(explain(F.Fixed, F.Result), O.Checks);
  std::erase_if(Left, [](const Finding &X) { return X.Level != Severity::Warning; });
  if (Left.empty())
    return;
  std::cerr << asText(Left, F.After);
  for (const std::string &Reason : F.Reasons)
    std::cerr << "rdma-fix: not inserted: " << Reason << "\n";
  std::cerr << "rdma-fix: no automatic fix for the " << Left.size() << " above\n";
}

int run(const Options &O, const OutputOptions &Out) {
  Fix F = fix(O);
  if (Out.ExplainPlan)
    explainPlan(F);
  if (!Out.ExportFile.empty()) {
    std::ofstream File(Out.ExportFile);
    if (!(File << exportedFixes(F.Before, F.After)))
      throw InputError({Out.ExportFile, 0, 0, {}}, "cannot write the file");
  }
  if (Out.InPlace)
    writeAll(F.After);
  else
    std::cout << unifiedDiff(F.Before, F.After) << std::flush;
  reportLeft(F, O);
  return F.Found.empty() ? 0 : 1;
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-fix", [&] {
    OutputOptions Out;
    Options O = parseOptions(
        Argc, Argv,
        {"inserts the cheapest remedies; prints a unified diff unless told otherwise", Examples},
        {{"in-place", false, "edit the files", [&](auto &) { Out.InPlace = true; }},
         {"dry-run", false, "print the diff only (the default)", [&](auto &) { Out.InPlace = false; }},
         {"explain-plan", false, "say what is inserted where, and what it costs",
          [&](auto &) { Out.ExplainPlan = true; }},
         {"export-fixes", true, "write what clang-apply-replacements reads",
          [&](auto &V) { Out.ExportFile = V; }}});
    configure(O, configuration(O));
    requireChecks(O);
    return run(O, Out);
  });
}

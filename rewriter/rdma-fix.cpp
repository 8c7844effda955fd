// rdma-fix: puts the cheapest remedy at each pair of operations that can be seen out of order.
#include "analyzer/clang/CommandLine.h"
#include "analyzer/report/Formats.h"
#include "analyzer/tools/Choosing.h"
#include "analyzer/tools/Configure.h"
#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/Fix.h"
#include "rewriter/Reading.h"
#include "rewriter/SarifFixes.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/source/ExportFixes.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace rdma;

namespace {

constexpr const char *Examples = R"(examples:
  rdma-fix client.c server.c -- -Iinclude       the fix as a diff
  rdma-fix --in-place -p build client.c         edits the file
)";

struct OutputOptions {
  bool InPlace = false, ExplainPlan = false, ComparePlans = false;
  std::string ExportFile, SarifFile, HeaderFolder;
  bool FailOnUnknown = false;
  PlanOptions Planning;
};

std::string listed(const std::set<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + Name;
  return Text;
}

std::string counted(std::size_t Count, const char *What) {
  return std::to_string(Count) + " " + What + (Count == 1 ? "" : "s");
}

void explainPlan(const Fix &F) {
  double Sum = 0;
  for (const MadeEdit &E : F.Made) {
    std::cerr << E.Where.File << ":" << E.Where.Line << ":" << E.Where.Column << ": " << E.What << ", cost "
              << E.Cost << "\n";
    Sum += E.Cost;
  }
  std::cerr << F.Made.size() << " edits, cost " << Sum
            << (F.Spared ? "; one more was planned, which the source does not need" : "") << "\n";
  std::cerr << "planned cost " << F.PlannedCost;
  if (F.LowerBound >= F.PlannedCost)
    std::cerr << ", proven least";
  else if (F.LowerBound > 0)
    std::cerr << ", at least " << F.LowerBound << " is needed: a gap of "
              << std::round(1000 * (F.PlannedCost - F.LowerBound) / F.PlannedCost) / 10 << " %";
  else
    std::cerr << ", without a bound";
  std::cerr << "; to wait for every request and fence every store would cost " << F.Naive << "\n";
  for (const auto &[Why, What] : F.Reasons)
    std::cerr << "no place for " << listed(What) << ": " << Why << "\n";
  CompletionPlaces All;
  for (ThreadIndex T = 0; T < F.Now.Code.Threads.size(); ++T) {
    CompletionPlaces Of = completionPlaces(F.Now.Code, T);
    All.Posted += Of.Posted;
    All.Polled += Of.Polled;
    All.Awaited += Of.Awaited;
  }
  std::cerr << "completions: posted at " << All.Posted << " places and polled at " << All.Polled
            << ", as before; waited for at " << All.Awaited << ", each its own\n";
}

/// One line, for people and for test/bench/fix-compare.
void tellCosts(const Fix &F, const Options &O, const PlanOptions &Planning) {
  Comparison All = comparePlans(F.Code, O.CpuModel, Planning);
  // What the source counts makes it cheaper than any place at hand does.
  double Made = 0;
  for (const MadeEdit &E : F.Made)
    Made += E.Cost;
  if (All.Robust && !F.Made.empty() && shownIn(F.Now, Severity::Warning).empty())
    All.Robust = std::min(*All.Robust, Made);
  auto Told = [](const std::optional<double> &Cost) {
    std::ostringstream Text;
    Cost ? Text << *Cost : Text << "not by insertions";
    return Text.str();
  };
  std::cerr << "costs: to wait for every request and fence every store " << All.Naive << ", to be fenced "
            << Told(All.Fenced) << ", to be tree-fenced " << Told(All.TreeFenced) << ", to be robust "
            << Told(All.Robust) << "\n";
}

/// What the author could do instead of a wait, at the places where waits were inserted.
void tellInstead(const Fix &F) {
  std::set<std::string> Told;
  for (const MadeEdit &E : F.Made) {
    std::string At = E.Where.File + ":" + std::to_string(E.Where.Line) + ":" + std::to_string(E.Where.Column);
    if (std::string Text = At + ": note: " + E.Instead + "\n"; !E.Instead.empty() && Told.insert(Text).second)
      std::cerr << Text;
  }
}

/// What inserted calls need in order to compile.
void tellOfHeader(const Fix &F, const OutputOptions &Out) {
  auto Includes = [](const auto &File) {
    return File.second.find("#include <rdma/order.h>") != std::string::npos;
  };
  if (std::none_of(F.After.begin(), F.After.end(), Includes))
    return;
  std::filesystem::path Headers = runtimeHeaders();
  if (!Out.HeaderFolder.empty()) {
    std::error_code Error;
    std::filesystem::path To = std::filesystem::path(Out.HeaderFolder) / "rdma";
    std::filesystem::create_directories(To, Error);
    for (const char *Name : {"order.h", "order_completions.h", "order_requests.h", "order_waits.h"})
      if (!Error)
        std::filesystem::copy_file(Headers / "rdma" / Name, To / Name,
                                   std::filesystem::copy_options::overwrite_existing, Error);
    if (Error)
      throw InputError({Out.HeaderFolder, 0, 0, {}}, "cannot write the header there");
    Headers = Out.HeaderFolder;
  }
  if (Out.HeaderFolder.empty() && (Headers == "/usr/include" || Headers == "/usr/local/include"))
    return; // a compiler looks there by itself
  std::cerr << "rdma-fix: compile with -I" << Headers.string() << ", where <rdma/order.h> is\n";
}

/// Findings that stay, at their places, with why nothing was inserted. Returns how many.
std::size_t reportLeft(const std::vector<Finding> &Left, const Fix &F) {
  if (Left.empty())
    return 0;
  std::cerr << asText(Left, F.After);
  for (const auto &[Key, What] : F.Refused) {
    const auto &[FromTo, Why] = Key;
    std::cerr << "rdma-fix: not inserted" << (FromTo.empty() ? "" : " " + FromTo) << ": " << listed(What)
              << ": " << Why << "\n";
  }
  std::cerr << "rdma-fix: no automatic fix for the " << Left.size() << " above"
            << (F.Refused.empty() ? ": nothing that could be inserted is a remedy" : "") << "\n";
  return Left.size();
}

/// How many pairs are not proved, but for those of remarks that are hidden.
std::uint64_t unproved(const Report &R) {
  std::uint64_t Shown = 0;
  bool Hides = false;
  for (const Finding &X : R.Findings) {
    Hides |= X.Pairs && X.Hidden != Hiding::Shown;
    Shown += X.Hidden == Hiding::Shown ? X.Pairs : 0;
  }
  // One pair may hang on several.
  return Hides ? std::min(Shown, R.Sum.PairsNotProved) : R.Sum.PairsNotProved;
}

/// What the order of the result rests on and is not known: nothing is called fixed for it. Returns how many
/// pairs.
std::size_t reportUnproved(const std::vector<Finding> &Remarks, const Fix &F, const OutputOptions &Out) {
  std::cerr << asText(Remarks, F.After);
  std::size_t Pairs = unproved(F.Now);
  if (Pairs)
    std::cerr << "rdma-fix: not proved: " << counted(Pairs, "pair")
              << " of operations, for the remarks above; nothing was inserted for "
              << (Pairs > 1 ? "them" : "it")
              << (Out.Planning.Unproved ? "" : " (rdma-fix --unproved orders what can be ordered)") << "\n";
  else if (!F.Now.Sum.Operations && !F.Now.Sum.Robust)
    std::cerr << "rdma-fix: nothing was analysed: what these sources run has no RDMA operation\n";
  else if (!Remarks.empty())
    std::cerr << "rdma-fix: not proved robust: not all of it was analysed\n";
  return Pairs;
}

/// The last line says how much of what was found is repaired, and whether that is all. True when it is, and
/// as much is known as the configuration asks for.
bool reportRest(const Fix &F, const OutputOptions &Out) {
  std::vector<Finding> Remarks = shownIn(F.Now, Severity::Remark);
  std::erase_if(Remarks, [](const Finding &X) { return !X.Withholds; });
  std::size_t Left = reportLeft(shownIn(F.Now, Severity::Warning), F);
  std::size_t Unproved = reportUnproved(Remarks, F, Out);
  if (F.Findings || Left || Unproved)
    std::cerr << "rdma-fix: "
              << (F.Findings ? std::to_string(F.Findings - std::min(Left, F.Findings)) + " of " +
                                   counted(F.Findings, "finding") + " fixed"
                             : "no findings to fix")
              << ", " << counted(Unproved, "pair") << " not proved\n";
  return !Left && !Unproved && !(Out.FailOnUnknown && isUnknown(F.Now.Findings, F.Now.Sum));
}

int run(const Options &O, const OutputOptions &Out, const Selection &Shown) {
  Fix F = fix(O, Out.Planning, Shown);
  if (Out.ExplainPlan)
    explainPlan(F);
  if (Out.ComparePlans)
    tellCosts(F, O, Out.Planning);
  if (!Out.ExportFile.empty()) {
    std::ofstream File(Out.ExportFile);
    if (!(File << exportedFixes(F.Before, F.After)))
      throw InputError({Out.ExportFile, 0, 0, {}}, "cannot write the file");
  }
  if (!Out.SarifFile.empty()) {
    std::ofstream File(Out.SarifFile);
    if (!(File << sarifWithFixes(F).dump(2) << "\n"))
      throw InputError({Out.SarifFile, 0, 0, {}}, "cannot write the file");
  }
  if (Out.InPlace)
    writeAll(F.After);
  else
    std::cout << unifiedDiff(F.Before, F.After) << std::flush;
  tellOfHeader(F, Out);
  tellInstead(F);
  // What was found and is in the file now is no longer there to be found.
  return reportRest(F, Out) && (Out.InPlace || F.Found.empty()) ? 0 : 1;
}

} // namespace

int main(int Argc, char **Argv) {
  return runTool("rdma-fix", [&] {
    OutputOptions Out;
    Config Given;
    std::string LineFilter;
    std::vector<ToolOption> Own = {
        {"in-place", false, "edit the files", [&](auto &) { Out.InPlace = true; }},
        {"dry-run", false, "print the diff only (the default)", [&](auto &) { Out.InPlace = false; }},
        {"explain-plan", false, "say what is inserted where, and what it costs",
         [&](auto &) { Out.ExplainPlan = true; }},
        {"compare-plans", false, "say what it would cost to satisfy the stronger conditions of the papers",
         [&](auto &) { Out.ComparePlans = true; }},
        {"plan", true, "exact: the cheapest fix, proven (the default); greedy: a cheap one, sooner",
         [&](auto &V) {
           if (V != "exact" && V != "greedy")
             throw UsageError("--plan is exact or greedy, not '" + V + "'");
           Out.Planning.Greedy = V == "greedy";
         }},
        {"costs", true,
         "a JSON file with the cost of remote-fence, memory-fence, wait-all-but, wait, flush and "
         "further-pair",
         [&](auto &V) { Out.Planning.Prices = readCosts(V); }},
        {"time-limit", true, "seconds to plan in; then the best found so far, with its gap",
         [&](auto &V) { Out.Planning.TimeLimit = numberOption("time-limit", V); }},
        {"unproved", false, "order what is not proved too, which the program may order already",
         [&](auto &) { Out.Planning.Unproved = true; }},
        {"copy-header", true, "copy <rdma/order.h> to this folder", [&](auto &V) { Out.HeaderFolder = V; }},
        {"export-fixes", true, "write what clang-apply-replacements reads",
         [&](auto &V) { Out.ExportFile = V; }},
        {"sarif", true, "write the findings as SARIF, with what repairs them",
         [&](auto &V) { Out.SarifFile = V; }}};
    for (ToolOption &Option : choosingOptions(Given, LineFilter))
      Own.push_back(std::move(Option));
    CommandLine Line(Argc, Argv);
    Options O = parseOptions(
        Line.count(), Line.words(),
        {"inserts the cheapest remedies; prints a unified diff unless told otherwise", Examples}, Own);
    Config All = joined(configuration(O), Given);
    configure(O, All);
    requireChecks(O);
    Out.FailOnUnknown = All.FailOn == "unknown";
    All.WarningsAsErrors.reset(); // what stays is for rdma-tidy to judge
    return run(O, Out, selection(O, All, LineFilter));
  });
}

#include "analyzer/tools/TidyOptions.h"

#include "analyzer/tools/Choosing.h"

namespace rdma {
namespace {

using Job = TidyOptions::Job;
constexpr const char *Settings = "configuration", *Selecting = "what is reported", *Confirming = "confirming";

auto into(std::string &Text) {
  return [&Text](const std::string &V) { Text = V; };
}
auto into(std::optional<std::string> &Text) {
  return [&Text](const std::string &V) { Text = V; };
}
auto set(bool &Flag) {
  return [&Flag](const std::string &) { Flag = true; };
}

bool truthOption(const std::string &Name, const std::string &Text) {
  if (Text.empty() || Text == "true" || Text == "1")
    return true;
  if (Text != "false" && Text != "0")
    throw UsageError("--" + Name + " wants true or false, not '" + Text + "'");
  return false;
}

void setFormat(std::string &Format, const std::string &Name) {
  if (Name != "text" && Name != "json" && Name != "sarif" && Name != "html")
    throw UsageError("no format '" + Name + "'; there are text, json, sarif and html");
  Format = Name;
}

unsigned jobs(const std::string &Text) {
  double Count = numberOption("jobs", Text);
  if (Count < 1 || Count > 1024 || Count != static_cast<unsigned>(Count))
    throw UsageError("--jobs wants a number from 1 to 1024, not '" + Text + "'");
  return Count;
}

std::vector<ToolOption> settings(TidyOptions &T) {
  auto To = [&T](Job What) { return [&T, What](auto &) { T.What = What; }; };
  return {
      {"jobs", true, "with -p alone: programs analysed at a time (as many as processors); also -j N",
       [&T](auto &V) { T.Jobs = jobs(V); }, "what is analysed"},
      {"warnings-as-errors", true, "globs of checks whose findings are errors, whatever --fail-on says",
       into(T.Given.WarningsAsErrors), Settings},
      {"list-checks", false, "the enabled checks; with --checks=* all of them", To(Job::ListChecks), Settings,
       true},
      {"dump-config", false, "the configuration in force, as YAML", To(Job::DumpConfig), Settings, true},
      {"verify-config", false, "read the configuration and say whether it is sound", To(Job::VerifyConfig),
       Settings, true},
      {"dump-model", false, "the orders that the model keeps, as two tables", To(Job::DumpModel), Settings,
       true},
      {"write-topology", true,
       "write a topology to complete, with all paths found, to FILE or standard output",
       [&T](auto &File) {
         T.What = Job::WriteTopology;
         T.WrittenTopology = File;
       },
       "what is analysed", false, true},
      {"explain", true, "the page of a check",
       [&T](auto &Check) {
         T.What = Job::ExplainCheck;
         T.Explained = Check;
       },
       Settings, true},
  };
}

std::vector<ToolOption> selecting(TidyOptions &T) {
  std::vector<ToolOption> All = {
      {"fail-on", true, "status 1 for a finding (the default), for what is unknown too, or never",
       into(T.Given.FailOn), Selecting},
      {"all-pairs", false, "every open pair of operations, also where one remedy would order several",
       set(T.AllPairs), Selecting},
      {"write-baseline", true, "write the findings to this file for --baseline, and hide them",
       into(T.WriteBaseline), Selecting},
  };
  std::vector<ToolOption> Shared = choosingOptions(T.Given, T.LineFilter);
  All.insert(All.begin() + 1, Shared.begin(), Shared.end());
  return All;
}

std::vector<ToolOption> output(TidyOptions &T) {
  return {
      {"format", true, "text (the default), json, sarif or html (which confirms too)",
       [&T](auto &Name) { setFormat(T.Format, Name); }},
      {"sarif", true, "write SARIF to this file as well", into(T.SarifFile)},
      {"sarif-fixes", false, "put what rdma-fix would do into the SARIF", set(T.SarifFixes)},
      {"use-color", true, "colours, also where standard output is no terminal",
       [&T](auto &V) { T.Given.UseColor = truthOption("use-color", V); }, "output", false, true},
      {"fix", false, "then edit the files as rdma-fix --in-place does; not when something does not compile",
       set(T.Fix)},
      {"fix-errors", false, "the same, also when another program does not compile", set(T.FixErrors)},
      {"export-fixes", true, "write what --fix would do to this file, for clang-apply-replacements",
       into(T.ExportFixes)},
      {"emit-llvm", false, "print the sources as one LLVM module, before anything is inlined",
       [&T](auto &) { T.What = Job::EmitLlvm; }},
      {"order-graph", true, "also the events, and why they are ordered, as a Graphviz picture to this file",
       into(T.OrderGraph)},
      {"emit-ir", false, "print the extracted program as litmus text", set(T.EmitIr)},
  };
}

std::vector<ToolOption> confirming(TidyOptions &T) {
  return {
      {"confirm", false, "look for an execution that shows each finding", set(T.Confirm), Confirming},
      {"dot", true, "--confirm, and the executions as Graphviz pictures, to this file", into(T.Dot),
       Confirming},
      {"timeout", true, "with --confirm: seconds for all findings (10; 0: no end)",
       [&T](auto &V) {
         T.Limits.Timeout = timeOption("timeout", V);
         T.LimitGiven = "timeout";
       },
       Confirming},
      {"unroll", true,
       "with --confirm: how many operations more than a thread has statements may be on the way (4)",
       [&T](auto &V) {
         T.Limits.Unroll = numberOption("unroll", V);
         T.LimitGiven = "unroll";
       },
       Confirming},
  };
}

} // namespace

std::vector<ToolOption> tidyOptions(TidyOptions &T) {
  std::vector<ToolOption> All;
  for (auto Part : {settings, selecting, output, confirming})
    for (ToolOption &Option : Part(T))
      All.push_back(std::move(Option));
  return All;
}

FailOn failOn(const Config &C) {
  std::string Name = C.FailOn.value_or("");
  if (Name.empty() || Name == "finding")
    return FailOn::Finding;
  if (Name != "unknown" && Name != "never")
    throw UsageError("--fail-on is finding, unknown or never, not '" + Name + "'");
  return Name == "unknown" ? FailOn::Unknown : FailOn::Never;
}

Selection selection(const Options &O, const TidyOptions &T, Config C) {
  if (!T.WriteBaseline.empty())
    C.Baseline.reset();
  Selection S = selection(O, C, T.LineFilter);
  S.AllKnown = !T.WriteBaseline.empty();
  return S;
}

} // namespace rdma

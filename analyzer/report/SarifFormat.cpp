#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"

#include <filesystem>

namespace rdma {

using nlohmann::json;

namespace {

json location(const Note &N) {
  json Region = {{"startLine", std::max(N.At.Line, 1u)}, {"startColumn", std::max(N.At.Column, 1u)}};
  std::string Uri = std::filesystem::path(N.At.File).is_absolute() ? "file://" + N.At.File : N.At.File;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", Uri}}}, {"region", Region}}},
          {"message", {{"text", N.Text}}}};
}

/// A step is essential when the execution would show nothing without it; steps of no place stand where the
/// finding stands.
json flowLocation(const Finding &F, const ExecutionStep &S, unsigned Order) {
  Note At{S.At.Line ? S.At : F.Main.At, "'" + S.Thread + "' on node '" + S.Node + "': " + S.Text};
  return {{"location", location(At)},
          {"executionOrder", Order},
          {"importance", S.Shows ? "essential" : "unimportant"}};
}

json codeFlow(const Finding &F) {
  std::map<std::pair<std::string, std::string>, json> Threads;
  const auto &Steps = F.Shown->Execution;
  for (unsigned I = 0; I < Steps.size(); ++I)
    Threads[{Steps[I].Node, Steps[I].Thread}].push_back(flowLocation(F, Steps[I], I + 1));
  json Flows = json::array();
  for (auto &[Name, Locations] : Threads)
    Flows.push_back({{"id", Name.second + "@" + Name.first}, {"locations", Locations}});
  return {{"message", {{"text", confirmationNotes(F).front().Text}}}, {"threadFlows", Flows}};
}

json result(const Finding &F) {
  json Main = location(F.Main);
  Main.erase("message");
  json R = {{"ruleId", F.Check},
            {"level", F.Level == Severity::Warning ? "warning" : "note"},
            {"message", {{"text", F.Main.Text}}},
            {"locations", json::array({Main})}};
  for (unsigned I = 0; I < F.Notes.size(); ++I) {
    R["relatedLocations"].push_back(location(F.Notes[I]));
    R["relatedLocations"].back()["id"] = I;
  }
  if (!F.Shown)
    return R;
  if (F.Shown->confirmed())
    R["codeFlows"] = json::array({codeFlow(F)});
  R["properties"] = asJson(*F.Shown);
  R["properties"].erase("execution");
  return R;
}

json rules() {
  json Rules = json::array();
  for (const Check &C : allChecks())
    Rules.push_back({{"id", C.Name},
                     {"shortDescription", {{"text", C.Summary}}},
                     {"defaultConfiguration", {{"enabled", C.Default}}}});
  return Rules;
}

} // namespace

json asSarif(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S) {
  json Results = json::array();
  for (const Finding &F : Findings)
    Results.push_back(result(F));
  json Properties = asJson({}, V, S);
  Properties.erase("findings");
  json Driver = {{"name", "rdma-tidy"}, {"version", "0.1.0"}, {"rules", rules()}};
  return {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       json::array({{{"tool", {{"driver", Driver}}}, {"results", Results}, {"properties", Properties}}})}};
}

} // namespace rdma

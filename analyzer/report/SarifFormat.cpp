#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Pages.h"
#include "analyzer/report/SarifPlaces.h"

namespace rdma {

using nlohmann::json;

namespace {

class Sarif {
public:
  json result(const Finding &F) {
    json R = {{"ruleId", F.Check},
              {"ruleIndex", indexOf(F.Check)},
              {"level", F.AsError                      ? "error"
                        : F.Level == Severity::Warning ? "warning"
                                                       : "note"},
              {"message", {{"text", F.Main.Text}}}};
    if (!F.Main.At.File.empty())
      R["locations"] = json::array({{{"physicalLocation", physicalLocation(F.Main.At, Sources)}}});
    for (const Note &N : F.Notes)
      if (!N.At.File.empty()) {
        R["relatedLocations"].push_back(location(N));
        R["relatedLocations"].back()["id"] = R["relatedLocations"].size() - 1;
      }
    if (!F.Fingerprint.empty())
      R["partialFingerprints"] = {{FingerprintKey, F.Fingerprint}};
    if (F.Hidden == Hiding::Nolint || F.Hidden == Hiding::Baseline)
      R["suppressions"] = json::array({{{"kind", F.Hidden == Hiding::Nolint ? "inSource" : "external"}}});
    addExecution(F, R);
    addPairs(F, R);
    return R;
  }

  /// A finding that Under stands for.
  void addFolded(const Finding &F, json &Under) {
    json Also = {{"message", {{"text", F.Main.Text}}}, {"relatedLocations", json::array()}};
    if (!F.Main.At.File.empty())
      Also["locations"] = json::array({{{"physicalLocation", physicalLocation(F.Main.At, Sources)}}});
    for (const Note &N : F.Notes)
      if (!N.At.File.empty())
        Also["relatedLocations"].push_back(location(N));
    if (!F.Fingerprint.empty())
      Also["partialFingerprints"] = {{FingerprintKey, F.Fingerprint}};
    addPairs(F, Also);
    Under["properties"]["also"].push_back(std::move(Also));
    Under["occurrenceCount"] = Under["properties"]["also"].size() + 1;
  }

private:
  static std::size_t indexOf(const std::string &Check) {
    auto All = allChecks();
    return std::find_if(All.begin(), All.end(), [&](auto &C) { return C.Name == Check; }) - All.begin();
  }

  static void addPairs(const Finding &F, json &R) {
    if (F.Pairs)
      R["properties"]["pairsNotProved"] = F.Pairs;
  }

  json location(const Note &N) {
    json L = {{"message", {{"text", N.Text}}}};
    if (!N.At.File.empty())
      L["physicalLocation"] = physicalLocation(N.At, Sources);
    return L;
  }

  void addExecution(const Finding &F, json &R) {
    if (!F.Shown)
      return;
    if (F.Shown->confirmed())
      R["codeFlows"] = json::array({codeFlow(F)});
    R["properties"] = asJson(*F.Shown);
    R["properties"].erase("execution");
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

  /// A step is essential when the execution would show nothing without it; steps of no place stand where the
  /// finding stands.
  json flowLocation(const Finding &F, const ExecutionStep &S, unsigned Order) {
    Note At{S.At.Line ? S.At : F.Main.At, "'" + S.Thread + "' on node '" + S.Node + "': " + S.Text};
    return {{"location", location(At)},
            {"executionOrder", Order},
            {"importance", S.Shows ? "essential" : "unimportant"}};
  }

  SourceLines Sources{{}};
};

json rules() {
  json Rules = json::array();
  for (const Check &C : allChecks()) {
    const Page &P = pageOf(C.Name);
    Rules.push_back({{"id", C.Name},
                     {"shortDescription", {{"text", C.Summary}}},
                     {"fullDescription", {{"text", P.Description}}},
                     {"help", {{"text", P.Markdown}, {"markdown", P.Markdown}}},
                     {"helpUri", P.Uri},
                     {"defaultConfiguration", {{"enabled", C.Default}}}});
  }
  return Rules;
}

json invocation(const Summary &S) {
  json Failures = json::array();
  for (const std::string &Why : S.FailedPrograms)
    Failures.push_back({{"level", "error"}, {"message", {{"text", Why}}}});
  return {{"executionSuccessful", Failures.empty()}, {"toolExecutionNotifications", Failures}};
}

bool isReported(const Finding &F) {
  return F.Hidden != Hiding::Filter && F.Hidden != Hiding::Check && F.Hidden != Hiding::Folded;
}

} // namespace

json asSarif(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S) {
  Sarif Of;
  json Results = json::array();
  std::map<std::size_t, std::size_t> InResults;
  for (std::size_t I = 0; I < Findings.size(); ++I)
    if (isReported(Findings[I])) {
      InResults[I] = Results.size();
      Results.push_back(Of.result(Findings[I]));
    }
  for (const Finding &F : Findings)
    if (F.Hidden == Hiding::Folded)
      Of.addFolded(F, Results[InResults.at(F.Under)]);
  json Properties = asJson(Findings, V, S);
  Properties.erase("findings");
  json Driver = {{"name", "rdma-tidy"}, {"version", RDMA_TIDY_VERSION}, {"rules", rules()}};
  json Run = {{"tool", {{"driver", Driver}}},
              {"invocations", json::array({invocation(S)})},
              {"columnKind", "unicodeCodePoints"},
              {"results", Results},
              {"properties", Properties}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({Run})}};
}

} // namespace rdma

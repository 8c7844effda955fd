#include "analyzer/report/Formats.h"

#include <map>

namespace rdma {

using nlohmann::json;

static json placed(const Note &N) {
  return {{"file", N.At.File}, {"line", N.At.Line}, {"column", N.At.Column}, {"message", N.Text}};
}

static json step(const ExecutionStep &S) {
  return {{"file", S.At.File}, {"line", S.At.Line}, {"column", S.At.Column}, {"thread", S.Thread},
          {"node", S.Node},    {"message", S.Text}, {"shows", S.Shows}};
}

json asJson(const Confirmation &C) {
  json J = {{"confirmed", C.confirmed()}};
  if (!C.RestsOn.empty()) {
    J["rests_on"] = C.RestsOn;
    return J;
  }
  if (!C.NotTried.empty()) {
    J["not_tried"] = C.NotTried;
    return J;
  }
  for (const ExecutionStep &S : C.Execution)
    J["execution"].push_back(step(S));
  J["bound"] = {{"statements", C.Statements}, {"unroll", C.Unroll}, {"seconds", C.Seconds}};
  J["complete"] = C.Complete;
  return J;
}

static json asJson(const Finding &F) {
  json J = placed(F.Main);
  J["check"] = F.Check;
  J["severity"] = F.AsError ? "error" : F.Level == Severity::Warning ? "warning" : "remark";
  if (!F.Fingerprint.empty())
    J["fingerprint"] = F.Fingerprint;
  J["notes"] = json::array();
  for (const Note &N : F.Notes)
    J["notes"].push_back(placed(N));
  if (F.Shown)
    J.update(asJson(*F.Shown));
  return J;
}

json asJson(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S) {
  json List = json::array();
  unsigned Hidden = 0;
  std::map<std::size_t, std::size_t> InList;
  for (std::size_t I = 0; I < Findings.size(); ++I) {
    const Finding &F = Findings[I];
    if (F.Hidden == Hiding::Shown) {
      InList[I] = List.size();
      List.push_back(asJson(F));
    } else if (F.Hidden != Hiding::Folded) {
      Hidden += F.Level == Severity::Warning;
    }
  }
  for (const Finding &F : Findings)
    if (F.Hidden == Hiding::Folded)
      List[InList.at(F.Under)]["also"].push_back(asJson(F));
  return {{"model", S.Model},
          {"ldrf", V.Ldrf},
          {"fenced", V.Fenced},
          {"tree-fenced", V.TreeFenced},
          {"atomics", V.Atomics},
          {"cycles", V.Cycles},
          {"robust", S.Robust},
          {"findings", List},
          {"summary",
           {{"operations", S.Operations},
            {"queue_pairs", S.QueuePairs},
            {"pairs_ordered", S.PairsOrdered},
            {"pairs_not_ordered", S.PairsNotOrdered},
            {"pairs_not_proved", S.PairsNotProved},
            {"sites_not_analysed", S.SitesNotAnalysed},
            {"failed_programs", S.FailedPrograms},
            {"suppressed", Hidden}}}};
}

} // namespace rdma

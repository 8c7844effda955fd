#include "rewriter/Reading.h"

#include "analyzer/report/Causes.h"
#include "analyzer/select/Selection.h"
#include "analyzer/tools/Inputs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace rdma {

Report reading(const Options &O, const FileContents &After) {
  Report R = report(readInputs(O, After), O.CpuModel);
  Selection S{O.Checks, "", Filters(O.Files, std::nullopt, std::nullopt, {})};
  S.Sources = After;
  select(R.Findings, S, {});
  // Whether a comment is of use is for rdma-tidy to say.
  std::erase_if(R.Findings, [](const Finding &F) { return F.Check == "rdma-unused-nolint"; });
  return R;
}

std::vector<Finding> shownIn(const Report &R, Severity Level) {
  std::vector<Finding> All = R.Findings;
  foldCauses(All);
  std::erase_if(All, [&](const Finding &F) { return F.Hidden != Hiding::Shown || F.Level != Level; });
  return All;
}

static auto keyOf(const EventRef &E) {
  const Access &A = E.Location;
  return std::tuple(E.Thread, E.Statement, E.Kind, A.Target, A.Begin, A.End, E.Pair);
}
static auto keyOf(const Violation &V) { return std::pair(keyOf(V.First), keyOf(V.Second)); }

std::function<bool(const Violation &)> wantedIn(const Report &R) {
  std::set<decltype(keyOf(std::declval<Violation>()))> Hidden, Shown;
  for (const Finding &F : R.Findings)
    for (const Violation &V : F.Causes)
      (F.Hidden == Hiding::Shown ? Shown : Hidden).insert(keyOf(V));
  return
      [Hidden, Shown](const Violation &V) { return !Hidden.contains(keyOf(V)) || Shown.contains(keyOf(V)); };
}

} // namespace rdma

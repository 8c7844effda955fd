#include "rewriter/Reading.h"

#include "analyzer/report/Causes.h"
#include "analyzer/tools/Inputs.h"

#include <algorithm>
#include <set>

namespace rdma {

/// Lines of a filter, comments and what a baseline knows are those of the files as they are.
static std::function<Place(const Place &)> placesOnDisk(const FileContents &After) {
  std::map<std::string, std::vector<unsigned>> LinesOf;
  for (const auto &[Name, New] : After)
    LinesOf[Name] = linesBefore(readFile(Name), New);
  return [LinesOf = std::move(LinesOf)](Place At) {
    if (auto Found = LinesOf.find(At.File);
        Found != LinesOf.end() && At.Line > 0 && At.Line <= Found->second.size())
      At.Line = Found->second[At.Line - 1];
    return At;
  };
}

Report reading(const Options &O, Selection S, const FileContents &After) {
  Report R = report(readInputs(O, After), O.CpuModel);
  if (!After.empty())
    S.Before = placesOnDisk(After);
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

static auto pairOf(const Violation &V) { return std::pair(keyOf(V.First), keyOf(V.Second)); }

std::function<bool(const Violation &)> wantedIn(const Report &R) {
  std::set<decltype(pairOf(std::declval<Violation>()))> Hidden, Shown;
  for (const Finding &F : R.Findings)
    for (const Violation &V : F.Causes)
      (F.Hidden == Hiding::Shown ? Shown : Hidden).insert(pairOf(V));
  return [Hidden, Shown](const Violation &V) {
    return !Hidden.contains(pairOf(V)) || Shown.contains(pairOf(V));
  };
}

} // namespace rdma

#include "analyzer/select/Selection.h"
#include "analyzer/report/Checks.h"
#include "analyzer/report/Texts.h"
#include "analyzer/select/Fingerprint.h"
#include "analyzer/select/Nolint.h"

#include <algorithm>
#include <set>

namespace rdma {
namespace {

/// The comments of all files that findings point into, and which of them were of use.
class Comments {
public:
  explicit Comments(SourceLines &Sources) : Sources(Sources) {}

  void read(const std::string &File) {
    if (File.empty() || File.ends_with(".litmus") || ByFile.count(File))
      return;
    Nolints Found = findNolints(File, Sources.lines(File));
    for (const UnmatchedNolint &U : Found.Unmatched)
      requireOther(U);
    ByFile[File] = std::move(Found.All);
  }

  bool hides(const std::string &Check, const Place &At) {
    read(At.File);
    auto Here = ByFile.find(At.File);
    if (Here == ByFile.end())
      return false;
    bool Hidden = false;
    std::pair Position{At.Line, At.Column};
    for (const Nolint &N : Here->second)
      if (N.From <= Position && Position <= N.To && N.covers(Check)) {
        Used.insert(&N);
        Hidden = true;
      }
    return Hidden;
  }

  std::vector<Finding> unused() const {
    std::vector<Finding> Found;
    for (const auto &[File, All] : ByFile)
      for (const Nolint &N : All)
        if (N.namesOurs() && !Used.count(&N))
          Found.push_back(
              {"rdma-unused-nolint", Severity::Warning, {N.At, text(TextId::UnusedNolint, {N.Spelling})}});
    return Found;
  }

private:
  /// One for other tools' checks is not our business.
  static void requireOther(const UnmatchedNolint &U) {
    if (U.What.Checks && !U.What.namesOurs())
      return;
    const Place &At = U.What.At;
    throw SelectionError(At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + ": " +
                         (U.IsBegin ? "unmatched 'NOLINTBEGIN' comment without a 'NOLINTEND' after it"
                                    : "unmatched 'NOLINTEND' comment without a 'NOLINTBEGIN' before it"));
  }

  SourceLines &Sources;
  std::map<std::string, std::vector<Nolint>> ByFile;
  std::set<const Nolint *> Used;
};

/// Either operation of a pair may carry the comment.
bool isSilenced(const Finding &F, Comments &C) {
  bool Later = C.hides(F.Check, F.Main.At);
  bool Earlier = !F.Notes.empty() && !F.Causes.empty() && C.hides(F.Check, F.Notes.front().At);
  return Later || Earlier;
}

/// Is F accepted? Of a remark on which more pairs hang than were accepted, something is new, and it says so.
bool take(Baseline &Left, Finding &F) {
  auto Known = Left.find(F.Fingerprint);
  if (Known == Left.end() || !Known->second.Findings)
    return false;
  Accepted &A = Known->second;
  --A.Findings;
  if (F.Pairs > A.Pairs) {
    F.Notes.push_back({F.Main.At, text(TextId::AcceptedPairs, {std::to_string(A.Pairs)})});
    return false;
  }
  A.Pairs -= F.Pairs;
  return true;
}

/// The same finding in the sources before their edits.
Finding before(Finding F, const std::function<Place(const Place &)> &Where) {
  F.Main.At = Where(F.Main.At);
  for (Note &N : F.Notes)
    N.At = Where(N.At);
  return F;
}

} // namespace

void select(std::vector<Finding> &Findings, const Selection &S, const std::vector<std::string> &Files) {
  SourceLines Sources({});
  Comments Said(Sources);
  Baseline Left = S.Known.value_or(Baseline());
  auto Judge = [&](Finding &F) {
    std::optional<Finding> Moved;
    const Finding &Was = S.Before ? Moved.emplace(before(F, S.Before)) : F;
    F.Fingerprint = fingerprint(Was, Sources);
    F.AsError = F.Level == Severity::Warning && matchesAny(F.Check, S.WarningsAsErrors);
    if (F.Check != "rdma-unused-nolint" && isSilenced(Was, Said))
      F.Hidden = Hiding::Nolint;
    else if (!enabled(F.Check, S.Checks))
      F.Hidden = Hiding::Check;
    else if (!S.Places.passes(Was))
      F.Hidden = Hiding::Filter;
    else if (S.AllKnown || take(Left, F))
      F.Hidden = Hiding::Baseline;
  };
  for (Finding &F : Findings)
    Judge(F);
  if (!enabled("rdma-unused-nolint", S.Checks))
    return;
  for (const std::string &File : Files)
    Said.read(File);
  for (Finding &F : Said.unused()) {
    Judge(F);
    Findings.push_back(std::move(F));
  }
}

std::vector<Finding> shown(const std::vector<Finding> &Findings) {
  std::vector<Finding> Kept;
  std::copy_if(Findings.begin(), Findings.end(), std::back_inserter(Kept),
               [](const Finding &F) { return F.Hidden == Hiding::Shown; });
  return Kept;
}

} // namespace rdma

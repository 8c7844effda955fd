#include "rewriter/plan/Hidden.h"

#include "analyzer/core/Conditions.h"
#include "analyzer/core/RestsOn.h"

#include <algorithm>
#include <map>
#include <set>

namespace rdma {
namespace {

/// Statements keep their numbers when edits are put in place.
using Key = EventKey;

bool isCycle(const Violation &V) { return V.Broken == Rule::CriticalCycle; }

/// Of pairs of a program, those that could be seen in the analysed one if gb left them open there.
std::set<std::pair<Key, Key>> seenIn(const Analysis &A, const std::vector<Violation> &Pairs) {
  std::map<Key, std::vector<EventId>> Events;
  for (const EventGraph &G : A.Threads)
    for (EventId E : G.Order)
      if (!G.Events[E].Joins)
        Events[keyOf(G.Events[E].Ref)].push_back(E);
  std::vector<std::vector<OpenPair>> Asked(A.Threads.size());
  for (const Violation &V : Pairs)
    for (EventId Earlier : Events[keyOf(V.First)])
      for (EventId Later : Events[keyOf(V.Second)])
        Asked[V.First.Thread].push_back({Earlier, Later});
  std::set<std::pair<Key, Key>> Seen;
  for (const Violation &V : openCycles(A, Asked))
    Seen.insert({keyOf(V.First), keyOf(V.Second)});
  return Seen;
}

} // namespace

Hidden::Hidden(const Program &P, const std::vector<PlannedEdit> &Candidates, Model M,
               const std::vector<Violation> &Required)
    : P(P), Candidates(Candidates), M(M), Required(Required) {
  std::vector<Violation> Cycles;
  std::copy_if(Required.begin(), Required.end(), std::back_inserter(Cycles), isCycle);
  if (Cycles.empty())
    return;
  const Program All = applied(P, Candidates);
  const auto Seen = seenIn(Analysis(All, M), Cycles);
  for (unsigned R = 0; R < Required.size(); ++R)
    if (isCycle(Required[R]) && !Seen.contains({keyOf(Required[R].First), keyOf(Required[R].Second)}))
      Pairs.push_back(R);
}

unsigned Hidden::seen(const std::vector<unsigned> &Open, const std::vector<unsigned> &Chosen) const {
  if (Open.empty())
    return None;
  std::vector<PlannedEdit> Edits;
  for (unsigned C : Chosen)
    Edits.push_back(Candidates[C]);
  const Program Edited = applied(P, Edits);
  std::set<std::pair<Key, Key>> Seen;
  for (const Violation &V : openCycles(Analysis(Edited, M)))
    Seen.insert({keyOf(V.First), keyOf(V.Second)});
  auto Found = std::find_if(Open.begin(), Open.end(), [&](unsigned R) {
    return Seen.contains({keyOf(Required[R].First), keyOf(Required[R].Second)});
  });
  return Found == Open.end() ? None : *Found;
}

Clause Hidden::clause(unsigned Pair, const std::vector<unsigned> &Chosen, const Clause &Ordering,
                      const std::function<bool()> &IsLate) const {
  std::vector<unsigned> On;
  for (unsigned C = 0; C < Candidates.size(); ++C)
    if (!std::binary_search(Ordering.begin(), Ordering.end(), C))
      On.push_back(C);
  if (isSeen(Pair, On))
    return Ordering;
  On = Chosen;
  Clause Needed;
  for (unsigned C = 0; C < Candidates.size(); ++C) {
    if (std::binary_search(Chosen.begin(), Chosen.end(), C))
      continue;
    std::vector<unsigned> More = On;
    More.insert(std::upper_bound(More.begin(), More.end(), C), C);
    if (!IsLate() && isSeen(Pair, More))
      On = std::move(More);
    else
      Needed.push_back(C);
  }
  return Needed;
}

} // namespace rdma

#include "rewriter/source/Lifetime.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rdma {

using Stand = PlannedEdit::Stand;

Lifetimes::Lifetimes(const Program &P, std::function<bool(const Statement &)> MayEnd) : P(P) {
  for (const Thread &T : P.Threads) {
    Ends.emplace_back();
    for (const Statement &S : T.Statements)
      Ends.back().push_back(MayEnd(S));
  }
}

static bool uses(const Statement &S, QueuePairId Pair) { return Pair != None && S.Op.Pair == Pair; }

/// On some way from one of these, before a call that may end it.
bool Lifetimes::usedAfter(const Thread &T, ThreadIndex Index, std::vector<StatementId> From,
                          QueuePairId Pair) const {
  std::vector<char> Seen(T.Statements.size());
  while (!From.empty()) {
    StatementId S = From.back();
    From.pop_back();
    if (std::exchange(Seen[S], 1))
      continue;
    if (uses(T.Statements[S], Pair))
      return true;
    if (!Ends[Index][S])
      From.insert(From.end(), T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
  }
  return false;
}

bool Lifetimes::aliveBehind(ThreadIndex T, StatementId S, QueuePairId Pair) const {
  return usedAfter(P.Threads[T], T, P.Threads[T].Statements[S].Successors, Pair);
}

std::vector<StatementId> Lifetimes::endsOf(ThreadIndex T, QueuePairId Pair) const {
  std::vector<StatementId> Found;
  for (StatementId S = 0; S < Ends[T].size(); ++S)
    if (Ends[T][S] && !aliveBehind(T, S, Pair))
      Found.push_back(S);
  return Found;
}

/// Both in what one statement of the source calls: an edit before that is before both.
static bool sameCall(const std::vector<Place> &A, const std::vector<Place> &At, const Place &Outer) {
  auto Level = std::find(At.begin(), At.end(), Outer);
  std::size_t Outside = At.end() - Level;
  return A.size() >= Outside && std::equal(Level, At.end(), A.end() - Outside);
}

/// Between two rounds of a loop that was unrolled: then before the loop need not be alive what is in it.
bool Lifetimes::endsBetweenRounds(const PlannedEdit &E, const Copy &C) const {
  const Thread &T = P.Threads[C.Thread];
  std::set<std::pair<StatementId, bool>> Seen;
  std::vector<std::pair<StatementId, bool>> Work;
  for (StatementId Next : T.Statements[C.At].Successors)
    Work.push_back({Next, false});
  while (!Work.empty()) {
    auto [S, Ended] = Work.back();
    Work.pop_back();
    if (S == E.Why.First.Statement || !Seen.insert({S, Ended}).second)
      continue;
    if (Ended && T.Statements[S].Where == T.Statements[C.At].Where)
      return true;
    for (StatementId Next : T.Statements[S].Successors)
      Work.push_back({Next, Ended || Ends[C.Thread][S]});
  }
  return false;
}

bool Lifetimes::exists(const PlannedEdit &E, const Copy &C, bool FromOutside) const {
  const Thread &T = P.Threads[C.Thread];
  const std::vector<Place> &Chain = T.Statements[C.At].Where.Chain;
  auto Previous = predecessors(T);
  if (E.How == Stand::Unrolled)
    return !(C.At == T.Entry && !FromOutside) && !endsBetweenRounds(E, C) &&
           usedBefore(C, Previous, Previous[C.At], FromOutside);
  if (usedAfter(T, C.Thread, {C.At}, C.Pair))
    return true;
  Place Outer = placesOf(P, E).second;
  if (E.How == Stand::Entering) {
    std::vector<bool> In = loopOf(T, C.At);
    std::erase_if(Previous[C.At], [&](StatementId From) { return In[From]; });
    return !(C.At == T.Entry && !FromOutside) && usedBefore(C, Previous, Previous[C.At], FromOutside);
  }
  std::vector<char> Inside(T.Statements.size());
  std::vector<StatementId> Work = {C.At}, Before;
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    if (std::exchange(Inside[S], 1))
      continue;
    if (S == T.Entry && !FromOutside)
      return false;
    for (StatementId From : Previous[S])
      (sameCall(T.Statements[From].Where.Chain, Chain, Outer) ? Work : Before).push_back(From);
  }
  return usedBefore(C, Previous, std::move(Before), FromOutside);
}

/// On every way to one of these, and not ended since.
bool Lifetimes::usedBefore(const Copy &C, const std::vector<std::vector<StatementId>> &Previous,
                           std::vector<StatementId> Before, bool FromOutside) const {
  const Thread &T = P.Threads[C.Thread];
  std::vector<char> Seen(T.Statements.size());
  while (!Before.empty()) {
    StatementId S = Before.back();
    Before.pop_back();
    if (std::exchange(Seen[S], 1) || uses(T.Statements[S], C.Pair))
      continue;
    if (Ends[C.Thread][S]) {
      if (!aliveBehind(C.Thread, S, C.Pair))
        return false;
      continue;
    }
    if (S == T.Entry && !FromOutside)
      return false;
    Before.insert(Before.end(), Previous[S].begin(), Previous[S].end());
  }
  return true;
}

bool Lifetimes::existWhere(const PlannedEdit &E, bool FromOutside) const {
  if (E.How == Stand::Behind || E.How == Stand::On)
    return true;
  std::vector<Copy> Copies = copiesOf(P, E);
  if (E.How != Stand::BehindCall)
    return std::all_of(Copies.begin(), Copies.end(),
                       [&](const Copy &C) { return exists(E, C, FromOutside); });
  // Nothing in the call that it stands behind may end one.
  const Thread &T = P.Threads[E.Why.First.Thread];
  const std::vector<Place> &Chain = T.Statements[E.Why.First.Statement].Where.Chain;
  Place Call = placesOf(P, E).first;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Ends[E.Why.First.Thread][S] && sameCall(T.Statements[S].Where.Chain, Chain, Call))
      return false;
  return true;
}

} // namespace rdma

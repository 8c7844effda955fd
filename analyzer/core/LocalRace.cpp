#include "analyzer/core/Conditions.h"

#include <algorithm>

namespace rdma {
namespace {

/// Is the earlier request known to be complete, or to use other bytes, whenever the later statement runs?
bool clear(const Analysis &A, const EventRef &Earlier, const EventRef &Later) {
  const std::vector<Statement> &All = A.Code.Threads[Earlier.Thread].Statements;
  const std::vector<WorkId> &Of = All[Later.Statement].ClearOf;
  WorkId Id = All[Earlier.Statement].Op.Id;
  bool Local =
      Earlier.Location == All[Earlier.Statement].Op.Local && Later.Location == All[Later.Statement].Op.Local;
  return Id != None && Local && std::find(Of.begin(), Of.end(), Id) != Of.end();
}

} // namespace

std::vector<Violation> localRaces(const Analysis &A) {
  std::vector<Violation> Races;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Races[T])
      if (!clear(A, A.ref(T, Pair.Earlier), A.ref(T, Pair.Later)))
        Races.push_back(A.violation(Rule::LocalRace, T, Pair));
  return Races;
}

} // namespace rdma

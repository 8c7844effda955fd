#include "analyzer/core/Conditions.h"

namespace rdma {

std::vector<Violation> localRaces(const Analysis &A) {
  std::vector<Violation> Races;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.OpenSc[T])
      if (A.conflict(A.ref(T, Pair.Earlier), A.ref(T, Pair.Later)))
        Races.push_back(A.violation(Rule::LocalRace, T, Pair));
  return Races;
}

} // namespace rdma

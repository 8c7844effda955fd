#include "analyzer/core/Conditions.h"

namespace rdma {

std::vector<Violation> localRaces(const Analysis &A) {
  std::vector<Violation> Races;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Races[T])
      Races.push_back(A.violation(Rule::LocalRace, T, Pair));
  return Races;
}

} // namespace rdma

#include "analyzer/core/Conditions.h"

namespace rdma {

std::vector<Violation> unfencedPairs(const Analysis &A) {
  std::vector<Violation> Unfenced;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Open[T])
      if (A.connected(T, Pair))
        Unfenced.push_back(A.violation(Rule::Fenced, T, Pair));
  return Unfenced;
}

} // namespace rdma

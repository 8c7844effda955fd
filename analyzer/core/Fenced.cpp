#include "analyzer/core/Conditions.h"

namespace rdma {

Violations unfencedPairs(const Analysis &A) {
  Violations Unfenced(Rule::Fenced, A.Numbers);
  std::size_t Most = 0;
  for (const std::vector<OpenPair> &Open : A.Open)
    Most += Open.size();
  Unfenced.reserve(Most); // nearly all are
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Open[T])
      if (A.connected(T, Pair))
        Unfenced.add(A.numbered(T, Pair));
  return Unfenced;
}

} // namespace rdma

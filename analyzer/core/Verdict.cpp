#include "analyzer/core/Verdict.h"

#include "analyzer/core/Conditions.h"

namespace rdma {

Verdict decide(const Program &P, Model M) { return decide(Analysis(P, M)); }

Verdict decide(const Analysis &A) {
  Verdict V;
  V.LocalRaces = localRaces(A);
  V.AtomicityBreaks = atomicityBreaks(A);
  V.UnfencedPairs = unfencedPairs(A);
  V.UntreedPlaces = untreedPlaces(A);
  V.OpenCycles = openCycles(A);
  V.Ldrf = V.LocalRaces.empty();
  V.Atomics = V.AtomicityBreaks.empty();
  V.Fenced = V.UnfencedPairs.empty();
  V.TreeFenced = V.UntreedPlaces.empty();
  V.Cycles = V.OpenCycles.empty();
  V.PairsOrdered = A.Ordered;
  return V;
}

} // namespace rdma

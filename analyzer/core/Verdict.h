// The verdict of every condition for a program (semantics: LDRF and atomics and (fenced, or tree-fenced, or
// no unordered critical cycle) implies robust, ROBUST Theorems 2, 4, 6 and their TSO versions).
#pragma once

#include "analyzer/core/Violations.h"

#include <vector>

namespace rdma {

struct Verdict {
  bool Ldrf = false, Atomics = false, Fenced = false, TreeFenced = false;
  bool Cycles = false; ///< no critical cycle is left unordered
  bool robust() const { return Ldrf && Atomics && (Fenced || TreeFenced || Cycles); }
  Violations LocalRaces, UnfencedPairs, OpenCycles;
  std::vector<Violation> AtomicityBreaks, UntreedPlaces;
  /// What the violations rest on that was lost: Program::LostFacts first, then what judge adds.
  std::vector<LostFact> Facts;
  /// For the honest line: pairs of accesses that were looked at and found ordered.
  std::uint64_t PairsOrdered = 0;
};

/// M is RdmaSc or RdmaTso.
Verdict decide(const Program &P, Model M);

class Analysis;
Verdict decide(const Analysis &A);

/// Whether Ldrf will be false, under either model; in less time.
bool hasLocalRaces(const Program &P);

/// Of pairs that an execution of the source has shown, those that are no local races here. Not of threads of
/// which there may be many.
std::vector<SeenOpen> ruledOut(const Program &P, std::vector<SeenOpen> Seen);

} // namespace rdma

// The conditions on a program, each on its own. decide() in Verdict.h puts them together.
#pragma once

#include "analyzer/core/Analysis.h"

namespace rdma {

/// ROBUST Def. 7: no two accesses of one thread to one location, one of them a write, left unordered by gb.
/// Uses gb of RDMA^SC under both CPU models: a thread sees its own stores.
Violations localRaces(const Analysis &A);

/// A location of remote atomics is written by nothing else (SYNC section 2.3), but for a lock word that is
/// taken by a remote compare-and-swap from e and given back by a plain write of e.
std::vector<Violation> atomicityBreaks(const Analysis &A);

/// ROBUST Def. 8 and 13: pairs that gb must order because other threads' communication connects their nodes.
Violations unfencedPairs(const Analysis &A);

/// ROBUST Def. 9 and 14. A violation of the shape of the network has the same event as First and Second; of
/// pairs that lack a fence there is one of each thread.
std::vector<Violation> untreedPlaces(const Analysis &A);

/// Pairs left unordered by gb whose later event can reach the earlier through other threads (ROBUST Theorem
/// 2).
Violations openCycles(const Analysis &A);

/// The same of other pairs, as if gb left these open; per thread.
Violations openCycles(const Analysis &A, const std::vector<std::vector<OpenPair>> &Pairs);

} // namespace rdma

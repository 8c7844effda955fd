// What the conditions share: each thread's event graph, its public events, and the pairs that gb leaves open.
#pragma once

#include "analyzer/core/EventGraph.h"
#include "analyzer/core/GuaranteedBefore.h"
#include "analyzer/core/Locations.h"

#include <vector>

namespace rdma {

/// Two events of one thread, the later after the earlier on some path, in no guaranteed order on some path.
struct OpenPair {
  EventId Earlier, Later;
};

class Analysis {
public:
  Analysis(const Program &P, Model M);

  const Program &Code;
  const Model M;
  std::vector<EventGraph> Threads;
  Locations Where;
  /// Per thread and event: another thread (or another copy of this one) accesses the same location.
  std::vector<std::vector<bool>> Public;
  /// Pairs that gb of the model leaves open, both events accesses to memory; and the same for RDMA^SC.
  std::vector<std::vector<OpenPair>> Open, OpenSc;
  /// Pairs of accesses that were looked at and found ordered by gb of the model.
  unsigned Ordered = 0;

  const EventRef &ref(ThreadIndex T, EventId E) const { return Threads[T].Events[E].Ref; }
  bool conflict(const EventRef &A, const EventRef &B) const {
    return (writes(A.Kind) || writes(B.Kind)) && mayOverlap(Code, A.Location, B.Location);
  }
  Violation violation(Rule Broken, ThreadIndex T, const OpenPair &Pair) const;

private:
  void markPublic();
  std::vector<OpenPair> openPairs(ThreadIndex T, Model Under, unsigned *Ordered) const;

  std::vector<std::vector<unsigned>> Position; ///< per thread and event, its place in the order
};

} // namespace rdma

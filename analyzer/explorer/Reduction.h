// Partial-order reduction: which steps can be taken first without losing a final state.
//
// A set of steps is persistent when nothing that the rest of the machine can do, now or later, depends on it
// (Godefroid): searching only that set from a state loses no final state. Used here: a single step that only
// adds possibilities, or whose memory access conflicts with nothing that is still to come; and all ways of
// one thread to go on. Final states include the order that Trace follows, since such steps commute there too.
#pragma once

#include "analyzer/explorer/Machine.h"

namespace rdma::explorer {

struct Persistent {
  std::vector<Transition> Steps; ///< empty with Dead false: no such set was found, take every enabled step
  bool Dead = false;             ///< no final state can be reached from here
};

Persistent persistentSet(const Machine &M, const State &S, const std::vector<Transition> &Enabled);

/// Everything that threads, buffers and queues may still access.
Footprint stillToCome(const Machine &M, const State &S);

} // namespace rdma::explorer

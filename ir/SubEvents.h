// The sub-events of an operation, in program order (ROBUST section 3, SYNC section 3.1).
#pragma once

#include "ir/Program.h"

namespace rdma {

/// One sub-event. `Pair` is None for CPU kinds; `Location` is invalid for F, P and nF.
struct SubEvent {
  EventKind Kind;
  Access Location;
  QueuePairId Pair = None;
};

/// The sub-events of one way an operation can go, in program order.
using SubEvents = std::vector<SubEvent>;

/// Every way the operation can go: one for most operations, two for a compare-and-swap whose result is open.
/// A `fenced` operation starts with an nF. A poll of Count k has k events P.
std::vector<SubEvents> expand(const Operation &Op);

/// Does the operation leave a completion of its own?
/// cas(m, m, e): a compare-and-swap that is given what its own location holds always succeeds.
bool exchanges(const Operation &Op);
bool leavesCompletion(const Operation &Op);
/// And is it for polls? With a work identifier it belongs to the waits.
bool leavesForPolls(const Operation &Op);

} // namespace rdma

// The traces of one thread as event graphs: SYNC Fig. 23, with values left open.
#pragma once

#include "analyzer/explorer/Compiled.h"
#include "ir/SubEvents.h"

namespace rdma::explorer {

/// A constant plus values read by events of the same trace.
struct Sum {
  std::int64_t Constant = 0;
  std::vector<std::pair<int, unsigned>> Reads; ///< sign, event
};

struct Event {
  EventKind Kind;
  ObjectId Location = None;
  QueuePairId Pair = None;
  bool RequestFence = false; ///< an nF that a fenced request stands behind: waits for gets and atomics only
  Sum Writes = {};           ///< of kinds that write
  std::vector<unsigned> PollsFrom = {}; ///< of P: the NIC writes it learns the completion of
  unsigned AtomicRead = None;           ///< of narW: its narR
};

/// The value that an event reads is (not) the sum.
struct Requirement {
  unsigned Read;
  bool Equal;
  Sum Value;
};

struct ThreadTrace {
  std::vector<Event> Events; ///< in program order
  std::vector<Requirement> Requirements;
};

/// Every way through the thread in which no statement is taken more than Unroll times more often than once.
std::vector<ThreadTrace> tracesOf(const Program &P, ThreadIndex T, unsigned Unroll);

} // namespace rdma::explorer

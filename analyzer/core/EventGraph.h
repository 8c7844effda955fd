// A thread's statement graph, expanded to sub-events.
#pragma once

#include "analyzer/core/Violation.h"
#include "ir/SubEvents.h"

namespace rdma {

using EventId = unsigned;

/// One sub-event, or a join of control flow (then Joins is true and nothing else counts).
struct Event {
  EventRef Ref;
  bool Joins = true;
  /// The last sub-event of a remote operation: here the request is posted.
  bool Posts = false;
  unsigned LoopDepth = 0; ///< 0 outside every loop
  std::vector<EventId> Successors;
};

struct EventGraph {
  ThreadIndex Thread;
  std::vector<Event> Events;
  EventId Entry;
  /// In reverse postorder from the entry; unreachable events are left out.
  std::vector<EventId> Order;
  const Operation &operation(const Program &P, EventId E) const {
    return P.Threads[Thread].Statements[Events[E].Ref.Statement].Op;
  }
};

/// Both ways of an open compare-and-swap are branches.
EventGraph eventGraph(const Program &P, ThreadIndex Thread);
std::vector<EventGraph> eventGraphs(const Program &P);

/// Per work identifier, how many of its requests must come behind an event at most for one of the thread's
/// waits to say that it is past: one more than the wait leaves out. More than a limit are not told apart.
std::vector<unsigned> requestsAsked(const Program &P, const EventGraph &G);

} // namespace rdma

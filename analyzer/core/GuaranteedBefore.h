// Guaranteed-before: the part of program order that no execution reverses (ROBUST Def. 6, TSO: Def. 12).
//
// gb is the closure of oppo, of [nlR];po_imm;[nrW];pf, of [nlW];pf, and of what a remote fence adds behind a
// delivery. On a graph it must hold on every path, so it is a forward must-analysis from each earlier event:
// which kinds of event, on which queue pair, are known to come after it, and how many completions at most are
// still to be polled until one of them is known to be complete. On straight-line programs the answer equals
// the definition.
#pragma once

#include "analyzer/core/EventGraph.h"

#include <vector>

namespace rdma {

class GuaranteedBefore {
public:
  GuaranteedBefore(const Program &Code, const EventGraph &G, Model M);
  ~GuaranteedBefore();

  /// Per event, whether Earlier comes before it on some path at all, and is guaranteed before it on every
  /// such path.
  struct After {
    std::vector<bool> Reached, Ordered;
  };
  After after(EventId Earlier) const;

  /// Most completions that may wait in a completion queue before the event; Unbounded when a loop posts
  /// without end.
  static constexpr unsigned Unbounded = ~0u;

private:
  struct State;
  void boundOutstanding();
  bool step(State &S, EventId E, bool IsEarlier) const;
  void post(State &S, EventId E) const;
  bool poll(State &S, EventId E) const;
  void add(State &S, EventKind Kind, QueuePairId Pair) const;

  const Program &Code;
  const EventGraph &G;
  Model M;
  std::vector<std::vector<unsigned>>
      Outstanding;                    ///< per event, per queue pair of the thread: bound for its queue
  std::vector<QueuePairId> Pairs;     ///< the thread's queue pairs
  std::vector<unsigned> PairIndex;    ///< their position in Pairs
  std::vector<bool> Polled;           ///< per event: it posts a request whose completion is for polls
  std::vector<unsigned> Position;     ///< per event, its place in G.Order
  std::vector<unsigned> Asked;        ///< per work identifier (requestsAsked)
  mutable std::vector<State> Scratch; ///< facts before each event, kept to spare allocations
};

} // namespace rdma

// What a thread waits for with an assume, and what is therefore over before the rest of it begins.
//
// A location l that starts with another value and that only one thread T writes is a handshake for a thread
// that passes `assume(l == k)`: what is observed before every one of T's writes to l, as all that its CPU did
// before them is, and what its NIC did that gb orders before them, comes before all that the thread does
// behind the assume, in every execution. (A write of T is read: rf; a read comes before everything later by
// oppo; so a conflict the other way round would close a cycle in ob, ROBUST Def. 4.) Extraction says with
// such a location that a thread was started, or has ended.
//
// Where T itself begins with waiting for a location s that only the waiting thread writes, that one may
// also pass `assume(s == k0)`, k0 its first value: then it has not started T so far. Where it cannot write s
// any more, T does nothing, and all of T's events come before all that is left, as there are none. So a
// thread can wait for others that it may have started.
//
// What a thread does with a block that it has let nobody come by (Operation::Unshown) is over before any
// other thread of its node does anything there: that one comes by it by a pointer that is written, or by a
// call, behind; the CPU's accesses up to there are seen before that is. Copies of the thread have blocks of
// their own.
//
// Who awaits (Operation::Awaits) knows of a location only that something is there which lets it pass. So it
// comes before no write that does: with such conflicts left out of ob, an order of all events has a write
// that lets it pass right before it, too, if not the one that it has read. Extraction says so of messages:
// who takes one does not learn whether the next has come.
#pragma once

#include "analyzer/core/Analysis.h"

namespace rdma {

/// The flag that a thread waits for before all that it does, where it starts with another value; or nothing
/// valid.
Access begins(const Program &P, const Thread &T);

class Handshakes {
public:
  explicit Handshakes(const Analysis &A);

  /// Does the second event come before the first in every execution that has both, or can nobody tell that it
  /// does not? Then no conflict leads from the first to the second.
  bool over(ThreadIndex Waiter, EventId First, ThreadIndex Writer, EventId Second) const;

  /// Which waits an event is behind, and which writes it is before: equal for events that no `over` tells
  /// apart.
  std::vector<bool> placeOf(ThreadIndex T, EventId E) const;

private:
  struct Handshake {
    ThreadIndex Writer;
    std::vector<bool> Before;             ///< events of the writer that are observed before every write
    std::vector<std::vector<bool>> After; ///< per thread: events behind an assume; empty for none
  };
  std::vector<Handshake> All;
  std::vector<std::vector<bool>> Unshown; ///< per thread and event
  std::vector<NodeId> Home;               ///< per thread
  /// Per thread and event: which of the numbered ways of passing it awaits, and which it lets pass.
  struct Passing {
    std::vector<unsigned> Awaited;
    std::vector<std::vector<bool>> Lets;
  };
  std::vector<Passing> Passes;
  std::size_t Ways = 0;
  void findPassing(const Analysis &A);
};

} // namespace rdma

// What a thread waits for with an assume, and what is therefore over before the rest of it begins.
//
// A location l that starts with another value and that only one thread T writes is a handshake for a thread
// that passes `assume(l == k)`: what is observed before every one of T's writes to l, as all that its CPU did
// before them is, and what its NIC did that gb orders before them, comes before all that the thread does
// behind the assume, in every execution. (A write of T is read: rf; a read comes before everything later by
// oppo; so a conflict the other way round would close a cycle in ob, ROBUST Def. 4.) Extraction says with
// such a location that a thread was started, or has ended.
#pragma once

#include "analyzer/core/Analysis.h"

namespace rdma {

class Handshakes {
public:
  explicit Handshakes(const Analysis &A);

  /// Does the second event come before the first in every execution that has both? Then no conflict leads
  /// from the first to the second.
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
};

} // namespace rdma

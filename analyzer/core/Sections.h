// Critical sections: what lies between taking a lock and giving it back, and never overlaps another's.
//
// A location is a lock if all that writes it are compare-and-swaps of the CPU: from its first value, e, to
// another, k, which takes it, and from k to e, or stores of e, by a thread that has taken it on every way
// there, which give it back. Then takes and gives alternate, and the sections of all threads have an order.
// Of two sections, let an access x lie in one and y in the other: behind the take, and gb orders them before
// the give. If x comes before y, then the whole first section, and what gb orders before its give, comes
// before the whole second.
#pragma once

#include "analyzer/core/Analysis.h"

#include <cstdint>

namespace rdma {

class Sections {
public:
  /// A bit for each lock; locks beyond these exclude nobody.
  using Locks = std::uint64_t;

  explicit Sections(const Analysis &A);

  /// The locks that the thread holds at the event on every way there: it comes behind the take.
  Locks held(ThreadIndex T, EventId E) const { return Held[T][E]; }
  /// The locks that the thread does not give back, behind the event, before gb says that it has happened.
  Locks closed(ThreadIndex T, EventId E) const { return Closed[T][E]; }
  /// The locks of the sections that the event lies in as a whole.
  Locks within(ThreadIndex T, EventId E) const { return held(T, E) & closed(T, E); }

private:
  std::vector<std::vector<Locks>> Held, Closed; ///< per thread and event
};

} // namespace rdma

// A bounded queue of 32-bit values on one node, for any thread of any node, on remote atomics.
//
// Linearisable, first in first out, full when every cell holds a value and empty when none does. Cost, when
// nobody interferes: enqueue 2 round trips, dequeue 3, of which a call that finds it full or empty waits for
// 2; the host's CPU takes no part. Nobody waits for a thread that is slow or dies inside: a value is there,
// or not, by one compare-and-swap.
#pragma once

#include "rdma/objects/roster.h"

namespace rdma::objects {

class fifo : public channel {
public:
  /// Capacity: rounded up to a power of two. Throws error: the device has no remote atomics.
  fifo(std::string Name, manager &Manager, node_id Host, std::size_t Capacity);
  status enqueue(std::uint32_t Value);  ///< ok, full, peer_lost, stopped
  status dequeue(std::uint32_t &Value); ///< ok, empty, peer_lost, stopped
  std::size_t capacity() const { return Cells; }

private:
  remote cellAt(word Ticket) const { return Ring->word_at(Ticket & (Cells - 1)); }
  static status catchUp(endpoint &Here, const remote &Known, word &Ticket);

  std::size_t Cells;
  const remote *Head, *Tail; ///< tickets that are known to be taken, and filled; there may be more
  const remote *Ring;
};

} // namespace rdma::objects

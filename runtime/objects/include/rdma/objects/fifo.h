// A bounded queue of 32-bit values on one node, for any thread of any node: the cyclic ring of LCRQ on remote
// atomics.
//
// Linearisable, first in first out. enqueue may say full while others are inside, before every cell holds a
// value. Cost, uncontended: enqueue 4 round trips, dequeue 3; the host's CPU takes no part. Why stale reads
// do no harm: a get may miss a remote atomic of another thread that has completed but not landed; every
// decision on such a read is confirmed by a compare-and-swap of the same cell, which waits for it.
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
  status takeFrom(endpoint &Here, word Ticket, bool &Taken, std::uint32_t &Value);
  status catchUp(endpoint &Here);

  std::size_t Cells;
  const remote *Head, *Tail, *Ring;
};

} // namespace rdma::objects

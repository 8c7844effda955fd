// The threads that take part in an object, in an order that is the same on every node.
#pragma once

#include "rdma/objects/channel.h"

#include <span>

namespace rdma::objects {

class roster {
public:
  static constexpr std::size_t none = ~std::size_t(0);

  roster(manager &Manager, std::span<const thread_id> Threads);
  /// Every thread of every node.
  static std::vector<thread_id> everyone(const manager &Manager);

  std::size_t size() const { return Threads.size(); }
  thread_id operator[](std::size_t Index) const { return Threads[Index]; }
  std::span<const thread_id> threads() const { return Threads; }
  node_set nodes() const { return Nodes; }
  /// The same for the same threads in the same order, for channel::agree.
  std::uint64_t digest() const;
  /// The calling thread's place, or none.
  std::size_t mine() const;

private:
  manager &Manager;
  std::vector<thread_id> Threads;
  std::vector<std::size_t> OfIndex; ///< this node's threads, then its helper
  node_set Nodes;
};

/// Throws error when the device has no remote atomics.
void require_atomics(const channel &Channel);

} // namespace rdma::objects

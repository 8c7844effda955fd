// The work identifier of LOCO: operations are posted with an ack, and one waits for the ack, not for a
// completion queue.
//
// After wait, the operations posted with it have completed: the source of a put is free (the target may still
// be old), the result of a get or a remote atomic is in place. (LOCO, figure "wait"; stamp aWT.)
#pragma once

#include "rdma/objects/base.h"

#include <atomic>

namespace rdma::objects {

class endpoint;

/// Used by one thread, with one endpoint at a time. Destroying it waits.
class ack {
public:
  ack() = default;
  ack(const ack &) = delete;
  ack &operator=(const ack &) = delete;
  ~ack() {
    if (!done())
      (void)wait();
  }

  bool done() const { return !open(); }
  /// Polls until every operation posted with this ack has completed. peer_lost when one of them failed; the
  /// next use starts anew.
  status wait();

private:
  friend class endpoint;
  std::uint32_t open() const { return static_cast<std::uint32_t>(State.load(std::memory_order_acquire)); }
  /// One operation more to wait for, and one less. One thread counts: no exchange, which costs as much as a
  /// post.
  void open(endpoint &By) {
    Owner = &By;
    State.store(State.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void close(std::uint64_t How = 0) {
    State.store((State.load(std::memory_order_relaxed) | How) - 1, std::memory_order_release);
  }
  /// How it ended, once.
  status result() {
    if (!State.load(std::memory_order_relaxed)) [[likely]]
      return status::ok;
    State.store(0, std::memory_order_relaxed);
    return status::peer_lost;
  }
  static constexpr std::uint64_t Failed = std::uint64_t(1) << 32;
  std::atomic<std::uint64_t> State{0}; ///< how many operations have not completed, and whether one has failed
  endpoint *Owner = nullptr;
};

} // namespace rdma::objects

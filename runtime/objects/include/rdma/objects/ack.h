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

  bool done() const { return Open.load(std::memory_order_acquire) == 0; }
  /// Polls until every operation posted with this ack has completed. peer_lost when one of them failed; the
  /// next use starts anew.
  status wait();

private:
  friend class endpoint;
  /// How it ended, once. Its thread alone gets here: no exchange, which would cost as much as a post.
  status result() {
    if (!Failed.load(std::memory_order_relaxed))
      return status::ok;
    Failed.store(false, std::memory_order_relaxed);
    return status::peer_lost;
  }
  std::atomic<std::uint32_t> Open{0}; ///< operations that have not completed
  std::atomic<bool> Failed{false};
  endpoint *Owner = nullptr;
};

} // namespace rdma::objects

// Completion queues and the channels that announce completions.
#pragma once

#include "runtime/device/Node.h"

namespace rdma::device {

/// A completion queue; the public object comes first. Base is also an ibv_cq.
struct CompletionQueue {
  explicit CompletionQueue(Node &Home) : Home(&Home) {}

  ibv_cq_ex Base = {};
  Node *Home;
  uint32_t Index = 0;
  SharedCompletionQueue *Shared = nullptr;
  SharedCompletion *Ring = nullptr;
  std::mutex Consumer; ///< of the threads that poll
  std::atomic<uint32_t> EmptyPolls{0}, Users{0}, EventsRead{0};
  std::mutex Session;            ///< from ibv_start_poll to ibv_end_poll
  SharedCompletion Current = {}; ///< of that session

  static CompletionQueue *of(ibv_cq *Cq) { return reinterpret_cast<CompletionQueue *>(Cq); }
  ibv_cq *cq() { return reinterpret_cast<ibv_cq *>(&Base); }

  bool isEmpty() const;
  /// Up to Count completions, oldest first; negative when the queue was overrun.
  int poll(int Count, ibv_wc *To);
  /// The oldest completion becomes the current one: 0, ENOENT, or EIO when the queue was overrun.
  int take();
  /// Room for so many completions; EINVAL when those that are there do not fit.
  int resize(uint32_t Count);
  /// Whether there is one of a queue pair.
  bool holds(uint32_t QueuePairNumber);
  /// Drops the completions of a queue pair that is going away.
  void forget(uint32_t QueuePairNumber);

private:
  bool pop(SharedCompletion &To);
  bool isHeldBack() const;
  void preferOther();
  bool Overtaken = false;           ///< the oldest one was, by the last that was taken
  std::atomic<uint32_t> Offered{0}; ///< up to where the last poll looked
  void rest();
};

/// The clock of the device, in nanoseconds.
uint64_t deviceTime();

/// Puts a completion into a queue of Target, and wakes who waits for it. False when the queue is full: it is
/// in error then. Done: the slot of the receive that this completes; free from then on.
bool putCompletion(Peer &Target, uint32_t Index, const SharedCompletion &Completion,
                   SharedTaken *Done = nullptr);

/// Tells the program of Target about an event of one of its objects.
struct AsyncRecord {
  uint64_t Type;
  uint64_t Source;
};
void putAsyncEvent(Peer &Target, ibv_event_type Type, const SharedEvents &Of);

} // namespace rdma::device

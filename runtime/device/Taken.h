// Receives between the moment a peer takes them and the moment it completes them. Were the peer to die in
// between, they would be lost: so each has a slot in the owner's queue pair, and the owner flushes what is
// left there.
//
// Taking and completing each change two words under a lock, and a kill can fall between them. The queue notes
// first which slot it works on, and whoever takes the lock over from the dead puts it right.
#pragma once

#include "runtime/device/Peer.h"

namespace rdma::device {

/// A receive that was taken, with its slot.
struct TakenReceive : SharedReceive {
  SharedTaken *Slot = nullptr;
};

/// The dead holder had noted a slot that it was taking for, or completing.
void putRight(SharedSegment &Segment, SharedReceiveQueue &Q);
void putRight(SharedSegment &Segment, SharedCompletionQueue &Q);

/// Holds the lock of a queue of the segment.
template <typename Queue> class QueueGuard {
public:
  QueueGuard(SharedSegment &Segment, Queue &Q) : Q(Q) {
    if (Q.Lock.lock() == Lock::TakenOver)
      putRight(Segment, Q);
  }
  ~QueueGuard() { Q.Lock.unlock(); }
  QueueGuard(const QueueGuard &) = delete;
  QueueGuard &operator=(const QueueGuard &) = delete;

private:
  Queue &Q;
};

/// Delivers datagrams to a queue pair, one at a time: receives complete in their order. The receive of one
/// whose sender has died in the middle is for the next one.
class Delivery {
public:
  Delivery(Peer &Owner, SharedQueuePair &Qp);
  ~Delivery() { Qp.Delivering.unlock(); }
  Delivery(const Delivery &) = delete;
  Delivery &operator=(const Delivery &) = delete;
  /// The oldest receive that is not complete; false when there is none.
  bool take(TakenReceive &To);
  /// Only what somebody has taken and not completed.
  bool takeBegun(TakenReceive &To);

private:
  Peer &Owner;
  SharedQueuePair &Qp;
};

/// A free slot, null when all are in use.
SharedTaken *freeSlot(SharedQueuePair &Qp);

/// Flushes what the peer had taken if it is dead, oldest first. False when something is left: the peer
/// completes it, or dies.
bool flushTaken(Peer &Owner, SharedQueuePair &Qp, Peer &Taker);
/// Forgets what was taken.
void forgetTaken(SharedQueuePair &Qp);

} // namespace rdma::device

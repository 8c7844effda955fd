#include "runtime/device/Taken.h"

#include "runtime/device/Inbound.h"
#include "runtime/device/Receive.h"

#include <algorithm>
#include <vector>

namespace rdma::device {

void putRight(SharedSegment &Segment, SharedReceiveQueue &Q) {
  if (uint64_t At = Q.Taking.load())
    if (auto *Slot = Segment.at<SharedTaken>(At); Slot->Position != takenAt(Q.Head))
      Slot->Position = 0; // it was not taken
  Q.Taking = 0;
}

void putRight(SharedSegment &Segment, SharedCompletionQueue &Q) {
  if (uint64_t At = Q.Completing.load())
    if (Q.Tail == Q.CompletingTail)
      Segment.at<SharedTaken>(At)->Position = 0; // the completion is there
  Q.Completing = 0;
}

Delivery::Delivery(Peer &Owner, SharedQueuePair &Qp) : Owner(Owner), Qp(Qp) {
  if (Qp.Delivering.lock() != Lock::TakenOver)
    return;
  SharedSegment &Segment = Owner.segment(); // what the dead has begun is put right
  {
    QueueGuard Guard(Segment, Segment.ReceiveQueues[Qp.ReceiveQueue]);
  }
  QueueGuard Guard(Segment, Segment.CompletionQueues[Qp.ReceiveCompletions]);
}

/// One receive is under way at a time, so that it has the first slot.
bool Delivery::takeBegun(TakenReceive &To) {
  if (!Qp.Taken[0].Position)
    return false;
  static_cast<SharedReceive &>(To) = Qp.Begun;
  To.Slot = &Qp.Taken[0];
  return true;
}

bool Delivery::take(TakenReceive &To) { return takeBegun(To) || takeReceive(Owner, Qp, Qp.ReceiveQueue, To); }

SharedTaken *freeSlot(SharedQueuePair &Qp) {
  for (SharedTaken &Slot : Qp.Taken)
    if (!Slot.Position.load(std::memory_order_relaxed))
      return &Slot;
  return nullptr;
}

bool flushTaken(Peer &Owner, SharedQueuePair &Qp, Peer &Taker) {
  std::vector<SharedTaken *> Slots;
  for (SharedTaken &Slot : Qp.Taken)
    if (Slot.Position)
      Slots.push_back(&Slot);
  if (Slots.empty())
    return true;
  // One that leaves in order may still be completing some. One that has hung up runs no more, but may take
  // long to be gone, when it has much memory to give back.
  if (!Taker.hasHungUp() && !processGone(Taker.process()))
    return false;
  inbound::replay(Owner, &Taker);
  SharedSegment &Segment = Owner.segment();
  for (const SharedTaken *Slot : Slots) { // what it has begun is put right
    {
      QueueGuard Guard(Segment, Segment.ReceiveQueues[Slot->Queue]);
    }
    QueueGuard Guard(Segment, Segment.CompletionQueues[completionsFor(Owner, Qp, Slot->Queue)]);
  }
  std::erase_if(Slots, [](SharedTaken *Slot) { return !Slot->Position; });
  std::sort(Slots.begin(), Slots.end(), [](auto *A, auto *B) { return A->Position < B->Position; });
  for (SharedTaken *Slot : Slots)
    flushReceive(Owner, Qp, Slot->WrId, Slot);
  return true;
}

void forgetTaken(SharedQueuePair &Qp) {
  for (SharedTaken &Slot : Qp.Taken)
    Slot.Position = 0;
}

} // namespace rdma::device

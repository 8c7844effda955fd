#include "runtime/device/Inbound.h"

#include "runtime/device/Window.h"

#include <algorithm>

namespace rdma::device::inbound {

namespace {

/// The part of the ring of bytes from a position, up to its end at most.
Chunk partOf(SharedInbound &In, uint64_t At, uint64_t End) {
  uint64_t Offset = At % InboundRoom;
  return {In.Bytes + Offset, std::min(End - At, InboundRoom - Offset)};
}

/// Its bytes: one chunk, or two when they go round.
std::vector<Chunk> bytesOf(SharedInbound &In, const SharedArrival &A) {
  std::vector<Chunk> Parts;
  for (uint64_t At = A.DataBegin; At < A.DataEnd; At += Parts.back().Length)
    Parts.push_back(partOf(In, At, A.DataEnd));
  return Parts;
}

void writeRange(Peer &Target, const SharedArrival &A, const std::vector<Chunk> &Parts) {
  RegionUse There = Target.use(A.Key, A.Address, A.Length, 0, A.Domain);
  if (!There)
    return; // deregistered: only a sender that is gone lets that happen
  // In the place of a sender that is gone: the program may have given the memory back without a word.
  if (Target.isSelf() && A.Pid != processId() && !Window::isPinnable(There.Address, A.Length, true))
    return;
  uint64_t Offset = 0;
  for (const Chunk &Part : Parts) {
    Target.write(There, Offset, Part.Data, Part.Length);
    Offset += Part.Length;
  }
}

void completeReceiveOf(Peer &Target, const SharedArrival &A, const std::vector<Chunk> &Parts) {
  SharedQueuePair &There = Target.segment().QueuePairs[queuePairIndex(A.TargetNumber)];
  TakenReceive To;
  static_cast<SharedReceive &>(To) = A.Receive;
  To.Slot = Target.segment().at<SharedTaken>(A.Slot);
  uint32_t State = There.State;
  if (There.Number != A.TargetNumber || !To.Slot->Position)
    return;
  if (isReceiving(State))
    deliver(Target, There, {A.Opcode, A.Flags, A.Imm, A.MessageLength, A.Number, A.Lid}, Parts, To);
  else if (State == IBV_QPS_ERR)
    flushReceive(Target, There, To.WrId, To.Slot);
}

/// Under the lock.
void carryOut(Peer &Target, SharedArrival &A) {
  if (A.Done)
    return;
  SharedSegment &Segment = Target.segment();
  std::vector<Chunk> Parts = bytesOf(Segment.Inbound, A);
  if (A.Key)
    writeRange(Target, A, Parts);
  if (A.Slot)
    completeReceiveOf(Target, A, Parts);
  A.Done = true;
  if (isAtomic(A.Opcode))
    Segment.AtomicsLock.unlockFor(A.Pid);
}

SharedArrival &entryOf(SharedInbound &In, uint64_t Ticket) { return In.Ring[Ticket % MaxArrivals]; }

void dropDone(SharedInbound &In) {
  uint64_t Head = In.Head, Tail = In.Tail;
  while (Head < Tail && entryOf(In, Head).Done)
    ++Head;
  In.Head = Head;
}

/// Those from the oldest to before End that Which selects.
template <typename Condition> void carryOutIf(Peer &Target, uint64_t End, Condition Which) {
  SharedInbound &In = Target.segment().Inbound;
  for (uint64_t At = In.Head; At < End; ++At)
    if (SharedArrival &A = entryOf(In, At); !A.Done && Which(A))
      carryOut(Target, A);
  dropDone(In);
}

constexpr auto Each = [](const SharedArrival &) { return true; };

} // namespace

uint64_t append(Peer &Target, const SharedArrival &A, Chunk Bytes) {
  SharedInbound &In = Target.segment().Inbound;
  std::lock_guard Guard(In.Lock);
  uint64_t Head = In.Head, Tail = In.Tail;
  uint64_t Begin = entryOf(In, Tail - 1).DataEnd;
  uint64_t Oldest = Head < Tail ? entryOf(In, Head).DataBegin : Begin;
  if (Tail - Head >= MaxArrivals - 1 || Begin + Bytes.Length - Oldest > InboundRoom)
    return 0;
  SharedArrival &New = entryOf(In, Tail);
  New = A;
  New.DataBegin = Begin;
  New.DataEnd = Begin + Bytes.Length;
  uint64_t Done = 0;
  for (const Chunk &Part : bytesOf(In, New)) {
    memcpy(Part.Data, Bytes.Data + Done, Part.Length);
    Done += Part.Length;
  }
  In.Tail.store(Tail + 1, std::memory_order_release);
  return Tail;
}

void arrive(Peer &Target, uint64_t Ticket, bool InOrder) {
  SharedInbound &In = Target.segment().Inbound;
  std::lock_guard Guard(In.Lock);
  if (Ticket < In.Head)
    return;
  if (InOrder)
    return carryOutIf(Target, Ticket + 1, Each);
  carryOut(Target, entryOf(In, Ticket));
  dropDone(In);
}

void arriveAll(Peer &Target) {
  SharedInbound &In = Target.segment().Inbound;
  if (In.Head.load(std::memory_order_acquire) >= In.Tail.load(std::memory_order_acquire))
    return;
  std::lock_guard Guard(In.Lock);
  carryOutIf(Target, In.Tail, Each);
}

void replay(Peer &Target, Peer *Gone) {
  SharedInbound &In = Target.segment().Inbound;
  if (In.Head.load(std::memory_order_acquire) >= In.Tail.load(std::memory_order_acquire))
    return;
  std::lock_guard Guard(In.Lock);
  carryOutIf(Target, In.Tail, [=](const SharedArrival &A) {
    bool IsKnown = Gone && A.Pid == Gone->process() && A.Lid == Gone->segment().Lid;
    return IsKnown || (A.Pid != processId() && processGone(A.Pid));
  });
}

} // namespace rdma::device::inbound

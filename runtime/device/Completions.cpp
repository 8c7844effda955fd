#include "runtime/device/Completions.h"

#include "runtime/device/Context.h"
#include "runtime/device/GiveWay.h"
#include "runtime/device/QueuePair.h"
#include "runtime/device/Taken.h"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace rdma::device {

bool CompletionQueue::isEmpty() const {
  return Shared->Head.load(std::memory_order_relaxed) == Shared->Tail.load(std::memory_order_acquire);
}

static SharedReceives *sharedReceivesOf(const QueuePair &Qp, const SharedCompletion &C) {
  ibv_srq *Srq = Qp.Base.qp_base.srq;
  return Srq ? SharedReceives::of(Srq) : C.Queue ? Qp.Home.LocalReceives[C.Queue].load() : nullptr;
}

static void tellCheck(QueuePair &Qp, const SharedCompletion &C) {
  if (C.IsSend)
    return check::taken(Qp, C.Retired);
  uint32_t Position = Qp.ReceivesTaken;
  if (Qp.CheckedReceives)
    check::receiveTaken(*Qp.CheckedReceives, Position);
  else if (SharedReceives *Of = sharedReceivesOf(Qp, C); Of && C.Retired)
    check::receiveTaken(*Of->Checked, C.Retired - 1);
  if (Qp.Shared->PeerLid == Qp.Home.lid() && !Qp.isDatagram())
    check::messageTaken(Qp, Position);
}

bool CompletionQueue::pop(SharedCompletion &To) {
  if (isEmpty())
    return false;
  uint32_t Head = Shared->Head.load(std::memory_order_relaxed);
  if (check::Enabled) [[unlikely]]
    preferOther();
  To = Ring[Head % Shared->Capacity];
  Shared->Head.store(Head + 1, std::memory_order_release);
  QueuePair *Qp = Home->LocalQueuePairs[queuePairIndex(To.Wc.qp_num)];
  if (Qp && To.IsSend)
    Qp->Retired.store(To.Retired, std::memory_order_release);
  if (check::Enabled && Qp) [[unlikely]]
    tellCheck(*Qp, To);
  if (Qp && !To.IsSend)
    Qp->ReceivesTaken.store(Qp->ReceivesTaken.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  EmptyPolls.store(0, std::memory_order_relaxed);
  return true;
}

/// In a run that is checked what has come since the last poll is left for the next one: a program that looks
/// but does not wait has not waited, however fast the device is. Who sleeps until an event looks only once.
bool CompletionQueue::isHeldBack() const {
  uint32_t Head = Shared->Head.load(std::memory_order_relaxed);
  return !Base.channel && static_cast<int32_t>(Offered.load(std::memory_order_relaxed) - Head) <= 0;
}

/// In a run that is checked, where a poll could find completions of several queue pairs, every second one
/// finds another than the oldest: which of them comes first nobody has promised.
void CompletionQueue::preferOther() {
  constexpr int32_t Far = 16;
  uint32_t Head = Shared->Head.load(std::memory_order_relaxed), Other = Head;
  uint32_t End = Base.channel ? Shared->Tail.load() : Offered.load(std::memory_order_relaxed);
  if (std::exchange(Overtaken, false))
    return;
  auto at = [this](uint32_t Position) -> SharedCompletion & { return Ring[Position % Shared->Capacity]; };
  End = Head + static_cast<uint32_t>(std::clamp(static_cast<int32_t>(End - Head), 0, Far));
  while (Other != End && at(Other).Wc.qp_num == at(Head).Wc.qp_num)
    ++Other;
  Overtaken = Other != End;
  for (; Overtaken && Other != Head; --Other)
    std::swap(at(Other), at(Other - 1));
}

int CompletionQueue::poll(int Count, ibv_wc *To) {
  int Done = 0;
  uint32_t Tail = Shared->Tail.load(std::memory_order_acquire);
  if (!isEmpty() && !(check::Enabled && isHeldBack())) {
    std::lock_guard Guard(Consumer);
    for (SharedCompletion C; Done < Count && !(check::Enabled && isHeldBack()) && pop(C); ++Done)
      To[Done] = C.Wc;
    Tail = Shared->Tail.load(std::memory_order_relaxed);
  }
  if (check::Enabled) [[unlikely]]
    Offered.store(Tail, std::memory_order_relaxed);
  if (Done)
    return Done;
  rest();
  return Shared->Overrun ? -EIO : 0;
}

int CompletionQueue::take() {
  uint32_t Tail = Shared->Tail.load(std::memory_order_acquire);
  bool Taken;
  {
    std::lock_guard Guard(Consumer);
    Taken = !(check::Enabled && isHeldBack()) && pop(Current);
  }
  if (check::Enabled) [[unlikely]]
    Offered.store(Tail, std::memory_order_relaxed);
  if (Taken)
    return 0;
  rest();
  return Shared->Overrun ? EIO : ENOENT;
}

/// A program that spins on an empty queue waits for another process, which may need this core. The count may
/// miss a poll of another thread.
void CompletionQueue::rest() {
  uint32_t Polls = EmptyPolls.load(std::memory_order_relaxed);
  EmptyPolls.store(Polls + 1, std::memory_order_relaxed);
  if (Polls % 512 == 511)
    giveWay();
}

int CompletionQueue::resize(uint32_t Count) {
  std::lock_guard Guard(Consumer);
  QueueGuard Producers(Home->segment(), *Shared);
  uint32_t Head = Shared->Head, Tail = Shared->Tail;
  if (Tail - Head > Count)
    return EINVAL;
  uint32_t Capacity = std::bit_ceil(Count), Before = Shared->Capacity;
  uint64_t Offset = Home->allocate(Capacity * sizeof(SharedCompletion)), OldOffset = Shared->Ring;
  if (!Offset)
    return ENOMEM;
  auto *New = Home->segment().at<SharedCompletion>(Offset);
  for (uint32_t At = Head; At != Tail; ++At)
    New[At % Capacity] = Ring[At % Before];
  Ring = New;
  Shared->Ring = Offset;
  Shared->Capacity = Capacity;
  Home->release(OldOffset, Before * sizeof(SharedCompletion));
  return 0;
}

bool CompletionQueue::holds(uint32_t Number) {
  std::lock_guard Guard(Consumer);
  uint32_t Tail = Shared->Tail.load(std::memory_order_acquire);
  for (uint32_t At = Shared->Head; At != Tail; ++At)
    if (Ring[At % Shared->Capacity].Wc.qp_num == Number)
      return true;
  return false;
}

void CompletionQueue::forget(uint32_t Number) {
  std::lock_guard Guard(Consumer);
  QueueGuard Producers(Home->segment(), *Shared);
  uint32_t Head = Shared->Head, Tail = Shared->Tail, To = Tail;
  // Moves the others towards the tail, and then the head up: at every instant the ring is whole.
  for (uint32_t At = Tail; At != Head; --At) {
    SharedCompletion C = Ring[(At - 1) % Shared->Capacity];
    if (C.Wc.qp_num != Number)
      Ring[--To % Shared->Capacity] = C;
  }
  Shared->Head.store(To, std::memory_order_release);
}

/// Under the lock of the queue, which is not full.
static void append(SharedSegment &Segment, SharedCompletionQueue &Q, const SharedCompletion &C,
                   SharedTaken *Done) {
  uint32_t Tail = Q.Tail.load(std::memory_order_relaxed);
  if (Done) {
    Q.CompletingTail = Tail + 1;
    Q.Completing.store(Segment.offsetOf(Done), std::memory_order_release);
  }
  SharedCompletion &Entry = Segment.at<SharedCompletion>(Q.Ring)[Tail % Q.Capacity];
  Entry = C;
  if (Q.WithTime)
    Entry.Time = deviceTime();
  Q.Tail.store(Tail + 1, std::memory_order_release);
  if (Done) {
    Done->Position.store(0, std::memory_order_release);
    Q.Completing.store(0, std::memory_order_release);
  }
}

/// Under the lock. Asks for the head, which the owner writes, only when it has to be known.
static bool isFull(SharedCompletionQueue &Q) {
  uint32_t Tail = Q.Tail.load(std::memory_order_relaxed);
  if (Tail - Q.HeadSeen >= Q.Capacity)
    Q.HeadSeen = Q.Head.load(std::memory_order_acquire);
  return Tail - Q.HeadSeen >= Q.Capacity;
}

bool putCompletion(Peer &Target, uint32_t Index, const SharedCompletion &C, SharedTaken *Done) {
  SharedCompletionQueue &Q = Target.segment().CompletionQueues[Index];
  bool Fire = false, Full = false, First = false;
  int Fd = -1;
  uint64_t Record[2] = {};
  {
    QueueGuard Guard(Target.segment(), Q);
    Full = isFull(Q);
    if (Full)
      First = !Q.Overrun.exchange(true);
    else
      append(Target.segment(), Q, C, Done);
    Armed Wanted = Q.Notify.load(std::memory_order_relaxed);
    if (Wanted == Armed::Any ||
        (Wanted == Armed::Solicited && (C.Solicited || C.Wc.status != IBV_WC_SUCCESS))) {
      Q.Notify = Armed::No;
      Fire = true;
      Fd = Q.ChannelFd;
      Record[0] = Q.Cookie;
      Record[1] = Index;
    }
  }
  if (Fire && Fd >= 0)
    Target.signal(Fd, Q.ChannelCookie, Record, sizeof Record);
  if (First)
    putAsyncEvent(Target, IBV_EVENT_CQ_ERR, Q.Events);
  return !Full;
}

void putAsyncEvent(Peer &Target, ibv_event_type Type, const SharedEvents &Of) {
  AsyncRecord Record = {Type, Of.Source};
  Target.signal(Of.Fd, Of.Cookie, &Record, sizeof Record);
}

} // namespace rdma::device

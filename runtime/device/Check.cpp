#include "runtime/device/Check.h"

#include "runtime/device/Choices.h"
#include "runtime/device/QueuePair.h"
#include "runtime/device/Receive.h"
#include "runtime/device/Settings.h"
#include "runtime/device/SubEvents.h"
#include "runtime/device/Tsan.h"
#include "runtime/device/Underway.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <span>

namespace rdma::device::check {

// Not by the settings, which a program may still change before it opens a device.
const bool Enabled = getenv("RDMA_CHECK") != nullptr;

namespace {

using enum EventKind;

constexpr Model Processors = Model::RdmaTso;

/// The tasks of all queue pairs.
std::mutex TasksLock;
std::set<Tasks *> &everyTask() {
  static auto *The = new std::set<Tasks *>; // threads may still run when the process exits
  return *The;
}

const char *nameOf(EventKind Kind) {
  switch (Kind) {
  case nlR:
    return "NIC: reads of sources";
  case nrW:
    return "NIC: writes to the target";
  case nrR:
    return "NIC: reads from the target";
  case nlW:
    return "NIC: writes of results";
  case nF:
    return "NIC: fences";
  default:
    return "NIC: atomics";
  }
}

/// Comes behind what is marked, unless it has come behind all of it before.
void follow(void *Mark, uint32_t Count, uint32_t &Known) {
  if (std::exchange(Known, Count) != Count)
    Tsan::get()->acquire(Mark);
}

/// Marks what the task has done; many of them nobody asks for.
void mark(Tasks::Task &Of, void *Current) {
  const Tsan &T = *Tsan::get();
  if (std::exchange(Of.IsMarked, true))
    return;
  T.switchTo(Of.Fiber, Tsan::Unordered);
  T.release(Of.Done);
  T.switchTo(Current, Tsan::Unordered);
}

/// As if the task did it.
void releaseAs(const Tasks::Task &Of, Mark *What) {
  const Tsan &T = *Tsan::get();
  void *Program = T.current();
  if (!Of.Fiber)
    return;
  T.switchTo(Of.Fiber, Tsan::Unordered);
  T.release(What);
  T.switchTo(Program, Tsan::Unordered);
}

/// What queue pairs have sent before they were reset or destroyed. These messages are not told from each
/// other.
Mark MessagesOfTheGone;

/// Comes behind the last sub-event of a kind, and all that this one has come behind.
void follow(Tasks &Of, EventKind Earlier, Tasks::Task &Own) {
  Tasks::Task &Other = taskOf(Of, Earlier);
  uint32_t &Known = Own.Knows[static_cast<unsigned>(Earlier)];
  if (Known == Other.Count)
    return;
  mark(Other, Own.Fiber);
  follow(Other.Done, Other.Count, Known);
  for (size_t I = 0; I < std::size(Own.Knows); ++I)
    Own.Knows[I] = std::max(Own.Knows[I], Other.Knows[I]);
}

/// On the task of the sub-event's kind, with all before it that the table orders.
void enter(Tasks &Of, const SubEvent &E) {
  const Tsan &T = *Tsan::get();
  Tasks::Task &Own = taskOf(Of, E.Kind);
  if (!Own.Fiber) { // a task comes behind all that the one has done which makes it
    T.switchTo(E.Program, Tsan::Unordered);
    T.name(Own.Fiber = T.create(0), nameOf(E.Kind));
  }
  // What the program did before the post, once; what follows in the same request learns of it from the first.
  bool AfterProgram = E.IsFirst && observedOrder(Processors, lW, E.Kind) == Order::Kept &&
                      std::exchange(Own.Knows[Tasks::CallsMade], Of.Calls) != Of.Calls;
  T.switchTo(Own.Fiber, AfterProgram ? Tsan::Synchronize : Tsan::Unordered);
  // The latest kind first: it comes behind most of the others.
  for (unsigned Left = NumEventKinds; Left; --Left)
    if (auto K = static_cast<EventKind>(Left - 1);
        K != E.Kind && taskOf(Of, K).Count && observedOrder(Processors, K, E.Kind) != Order::None)
      follow(Of, K, Own);
  // Guaranteed-before: a delivery, a fence, a source that is read after it.
  if (Of.Holding && (E.Kind == nlR || E.Kind == nrW) && E.NeedsSource)
    follow(&Of.HeldBack, Of.FencesHolding, Own.Knows[Tasks::FencesHeld]);
  if (isRemote(E.Kind) && Of.Target) // under TasksLock
    for (Tasks *Other : everyTask())
      if (Other != &Of && Other->Target == Of.Target)
        T.acquire(&Other->Remote);
}

void leave(Tasks &Of, const SubEvent &E) {
  const Tsan &T = *Tsan::get();
  Tasks::Task &Own = taskOf(Of, E.Kind);
  Own.Done = E.Completion ? E.Completion : &Own.Own;
  ++Own.Count;
  if (Own.IsMarked = E.Completion; Own.IsMarked)
    T.release(Own.Done);
  if (isRemote(E.Kind) && Of.Target)
    T.release(&Of.Remote);
  if (E.Kind == nF) { // on a task of its own: the fence itself waits for less
    if (!Of.Holding)
      T.name(Of.Holding = T.create(0), nameOf(nF));
    T.switchTo(Of.Holding, Tsan::Unordered);
    T.acquire(taskOf(Of, nlW).Done);
    T.release(&Of.HeldBack);
    ++Of.FencesHolding;
  }
}

Mark *receiveOf(Tasks &Of, uint32_t Position) { return &Of.Receives[Position % Of.Receives.size()]; }

/// A put that has a source to read ends with that, what delivers a result with the delivery.
Mark *takeEnd(Tasks &Of, const Request &R) {
  if (!isPut(R.Opcode))
    return Of.Deliveries.take();
  return R.Flags & IBV_SEND_INLINE ? nullptr : Of.Ends.take();
}

/// What is told of the requests of a place: all, until it has posted much. The loops of which that is said do
/// little else, and would become several times slower.
///
/// Then those of a program of one thread are told now and then, many in succession. What is left out has no
/// access that could race, and orders nothing but the program behind itself, which one thread is anyway.
struct Measure {
  uint64_t Before; ///< what the place had posted, so many requests or so many KiB
  Measure(const Stack &At, uint64_t Length) {
    std::atomic_ref Weight(At.Weight); // what another thread adds meanwhile may be missed
    Before = Weight.load(std::memory_order_relaxed);
    Weight.store(Before + 1 + Length / 1024, std::memory_order_relaxed);
  }
  bool isNew() const { return Before < 16; }
  bool isAll() const { return Before < 2048; }
  bool isTold(const Request &R, bool IsAlone) const {
    constexpr uint32_t InSuccession = 128;
    uint32_t Share = Before < 65536 ? 8 : 32;
    return isAll() || R.Position / InSuccession % Share == 0 || R.Flags & IBV_SEND_FENCE || !IsAlone;
  }
  /// Which part of long ranges; 0: all.
  uint64_t part() const { return isAll() ? 0 : scatterBits(Before) | 1; }
};

/// The target's bytes of a request.
Bytes targetOf(QueuePair &Qp, const Request &R, const SharedQueuePair *There) {
  if (!There || isSend(R.Opcode) || !R.Length)
    return {};
  Qp.Checked->Target = Qp.Target->isSelf() ? 0 : Qp.Target->process();
  uint32_t Domain = domainFor(*Qp.Target, *There, queueFor(*Qp.Target, *There, R));
  return Qp.Target->findFor(*There, R.Rkey, R.RemoteAddr, R.Length, 0, Domain);
}

/// What an atomic reads and writes is told without another one between.
std::mutex AtomicsLock;

/// All of its sub-events, in program order. Of the target's bytes those that lie in this process. Its
/// completion says that it has ended and all before it: a put has read its source, but not reached memory;
/// what delivers a result has done so, and the puts before it have reached memory.
void tellAll(QueuePair &Qp, const Request &R, const Bytes &Found, const Outstanding &O, uint64_t Part) {
  const Tsan &T = *Tsan::get();
  Tasks &Of = *Qp.Checked;
  Mark *End = O.End;
  ibv_sge Target = {reinterpret_cast<uint64_t>(Found.Mapped),
                    Found && Found.Mapped ? static_cast<uint32_t>(R.Length) : 0, 0};
  Ranges Local(R.Sges, R.SgeCount), There(&Target, 1);
  bool IsFirst = true, IsSum = isSum(R.Opcode);
  void *Program = T.current();
  auto tell = [&](EventKind Kind, Ranges Touched, Mark *Completion = nullptr, bool NeedsSource = true) {
    SubEvent E = {Kind,       Touched, NeedsSource, std::exchange(IsFirst, false),
                  Completion, Part,    IsSum,       Program};
    std::unique_lock Guard(TasksLock, std::defer_lock);
    if (isRemote(Kind) && Of.Target) // else another thread's access would come between those marked
      Guard.lock();
    enter(Of, E);
    touch(Of, E, *O.PostedAt);
    leave(Of, E);
  };
  if (R.Flags & IBV_SEND_FENCE)
    tell(nF, {});
  if (isAtomic(R.Opcode)) {
    {
      std::lock_guard OneByOne(AtomicsLock);
      tell(narR, There), tell(narW, There);
    }
    tell(nlW, Local, End);
  } else if (!isPut(R.Opcode))
    tell(nrR, There), tell(nlW, Local, End);
  else if (R.Flags & IBV_SEND_INLINE)
    tell(nrW, There, nullptr, false);
  else
    tell(nlR, Local, End), tell(nrW, There);
  T.switchTo(Program, Tsan::Unordered);
}

} // namespace

Mark *Marks::take() {
  if (Free.empty())
    return &All.emplace_back();
  Mark *Got = Free.back();
  Free.pop_back();
  return Got;
}

Tasks::Tasks(uint32_t Receives) : Receives(Receives ? std::bit_ceil(2 * (Receives + 16)) : 0) {
  static unsigned Made;
  std::lock_guard Guard(TasksLock);
  Number = Made++;
  everyTask().insert(this);
}

Tasks::~Tasks() {
  const Tsan *T = Tsan::get();
  {
    std::lock_guard Guard(TasksLock);
    if (T && Sender)
      releaseAs(taskOf(*this, nrW), &MessagesOfTheGone);
    everyTask().erase(this);
  }
  if (!T)
    return;
  for (Task &Each : OfKind)
    if (Each.Fiber)
      T->destroy(Each.Fiber);
  if (Holding)
    T->destroy(Holding);
}

void Tasks::retire(const Outstanding &O) {
  if (!O.End)
    return;
  Mark *&Last = isPut(O.Opcode) ? LastEnd : LastDelivery;
  if (Mark *Before = std::exchange(Last, O.End))
    (isPut(O.Opcode) ? Ends : Deliveries).giveBack(Before);
}

void Tasks::forgetMessages() {
  std::lock_guard Guard(TasksLock);
  if (Tsan::get() && MessageCount)
    releaseAs(taskOf(*this, nrW), &MessagesOfTheGone);
  HasForgotten |= MessageCount != 0;
  MessageCount = 0;
}

void Tasks::acquireAll() {
  if (const Tsan *T = Tsan::get())
    for (Task &Each : OfKind)
      if (Each.Count) {
        mark(Each, T->current());
        T->acquire(Each.Done);
      }
}

bool isWord(uint64_t Address, uint64_t Length) {
  return Length <= 8 && std::has_single_bit(Length) && Address % Length == 0;
}

bool acquireEveryTask() {
  std::unique_lock Guard(TasksLock, std::try_to_lock);
  if (!Guard)
    return false;
  for (Tasks *Of : everyTask())
    Of->acquireAll();
  return true;
}

/// Only what is needed is written.
[[gnu::always_inline]] inline Outstanding::Outstanding(const Request &R, bool IsTold, const Stack &PostedAt)
    : Position(R.Position), Opcode(R.Opcode), Signaled(R.Signaled), IsTold(IsTold), PostedAt(&PostedAt) {
  if (R.Flags & IBV_SEND_INLINE)
    return;
  for (const ibv_sge &S : Ranges(R.Sges, R.SgeCount))
    if (S.length)
      Keys[KeyCount++] = S.lkey;
}

static void forgetTaken(Tasks &Of) {
  if (Of.Oldest == 0 || Of.Oldest < Of.Open.size() / 2)
    return;
  Of.Open.erase(Of.Open.begin(), Of.Open.begin() + static_cast<ptrdiff_t>(Of.Oldest));
  Of.Oldest = 0;
}

/// A message to this process itself is posted.
static void announce(const QueuePair &Qp) {
  Tasks &Of = *Qp.Checked;
  Of.Sender = &Qp;
  Mark *Message = &Of.Messages[Of.MessageCount++ % std::size(Of.Messages)];
  if (Tsan::get())
    releaseAs(taskOf(Of, nrW), Message);
}

static void tell(QueuePair &Qp, const Request &R, Outstanding &O, const Bytes &There, uint64_t Part) {
  ++Qp.Checked->Told;
  O.End = takeEnd(*Qp.Checked, R);
  tellAll(Qp, R, There, O, Part);
}

void posted(QueuePair &Qp, const Request &R) {
  if (!Qp.Checked)
    Qp.Checked = std::make_unique<Tasks>(0);
  Tasks &Of = *Qp.Checked;
  forgetTaken(Of);
  if (std::exchange(Of.Calls, Qp.PostCalls) != Qp.PostCalls) {
    Of.PostedAt = &callers();
    Of.IsAlone = Tsan::get() && hasOneThread();
  }
  const Stack &At = *Of.PostedAt;
  Measure Telling(At, R.Length);
  Outstanding &O = Of.Open.emplace_back(R, Tsan::get() && Telling.isTold(R, Of.IsAlone), At);
  SharedQueuePair *Remote = Qp.isDatagram() ? nullptr : Qp.remote();
  Bytes There = targetOf(Qp, R, Remote);
  if (Remote)
    postedTo(Qp, R, *Remote, There, At);
  if (Remote && Telling.isNew())
    holdSum(Qp, R, *Remote, There, At);
  if (O.IsTold && !Of.IsAlone && !isPut(R.Opcode) && !Of.Target && isWord(R.RemoteAddr, R.Length))
    O.Word = There.Mapped;
  if (O.IsTold)
    tell(Qp, R, O, There, Telling.part());
  if (Remote && Qp.Target->isSelf() && (isSend(R.Opcode) || R.Opcode == IBV_WR_RDMA_WRITE_WITH_IMM))
    announce(Qp);
}

/// What the program knows by a completion: the ends of those told, up to the last one; of a get that was left
/// out, what its delivery comes behind.
static void learn(Tasks &Of, const Mark *EndBefore, const Mark *DeliveryBefore, bool GetLeftOut) {
  const Tsan &T = *Tsan::get();
  bool Others = !hasOneThread(); // which may have learnt what this one has not
  if (Of.LastEnd && (Others || Of.LastEnd != EndBefore))
    T.acquire(Of.LastEnd);
  if (Of.LastDelivery && (Others || Of.LastDelivery != DeliveryBefore))
    T.acquire(Of.LastDelivery);
  if (GetLeftOut && (std::exchange(Of.KnownToAll, Of.Told) != Of.Told || Others))
    Of.acquireAll();
}

void taken(QueuePair &Qp, uint32_t Position) {
  std::lock_guard Guard(Qp.Lock);
  if (!Qp.Checked)
    return;
  Tasks &Of = *Qp.Checked;
  const Mark *End = Of.LastEnd, *Delivery = Of.LastDelivery;
  bool GetLeftOut = false;
  for (; Of.Oldest < Of.Open.size(); ++Of.Oldest) {
    const Outstanding &O = Of.Open[Of.Oldest];
    if (static_cast<int32_t>(O.Position - Position) > 0)
      break;
    Of.retire(O);
    if (O.Word) // what another thread has written may have come between this request and that it was told
      Tsan::get()->acquire(O.Word);
    GetLeftOut |= !O.IsTold && !isPut(O.Opcode);
  }
  if (Tsan::get())
    learn(Of, End, Delivery, GetLeftOut);
}

void receivePosted(Tasks &Of, uint32_t Position, const ibv_recv_wr &Wr) {
  const Tsan *T = Tsan::get();
  if (!T)
    return;
  SubEvent Delivery = {nlW, {Wr.sg_list, static_cast<size_t>(Wr.num_sge)}};
  Delivery.Completion = receiveOf(Of, Position);
  const Stack &At = callers();
  uint64_t Length = 0;
  for (const ibv_sge &S : Delivery.Touched)
    Length += S.length;
  Delivery.Part = Measure(At, Length).part();
  Delivery.Program = T->current();
  ++Of.Calls;
  enter(Of, Delivery);
  touch(Of, Delivery, At);
  leave(Of, Delivery);
  T->switchTo(Delivery.Program, Tsan::Unordered);
}

void receiveTaken(Tasks &Of, uint32_t Position) {
  if (const Tsan *T = Tsan::get())
    T->acquire(receiveOf(Of, Position));
}

void messageTaken(const QueuePair &By, uint32_t Position) {
  const void *From = By.Home.LocalQueuePairs[queuePairIndex(By.Shared->PeerNumber)];
  const Tsan *T = Tsan::get();
  std::lock_guard Guard(TasksLock); // another thread may be destroying it
  bool MayBeGone = true;
  for (Tasks *Of : everyTask()) {
    if (!T || !From || Of->Sender != From || !Of->MessageCount)
      continue;
    MayBeGone = Of->HasForgotten;
    // Of what is not reliable some may be lost, and with XRC one queue completes before another: then it is
    // any of those that were sent.
    uint32_t Which = By.isReliable() && !By.Shared->XrcDomain ? Position : Of->MessageCount - 1;
    T->acquire(&Of->Messages[Which % std::size(Of->Messages)]);
  }
  if (T && MayBeGone)
    T->acquire(&MessagesOfTheGone);
}

} // namespace rdma::device::check

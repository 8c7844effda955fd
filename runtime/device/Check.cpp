#include "runtime/device/Check.h"

#include "runtime/device/QueuePair.h"
#include "runtime/device/Settings.h"
#include "runtime/device/Tsan.h"
#include "runtime/device/Underway.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <span>
#include <sys/mman.h>

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

/// Empty ones among them.
using Ranges = std::span<const ibv_sge>;

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

/// A sub-event of a request, in program order: what it touches, and where it was posted.
struct SubEvent {
  EventKind Kind;
  Ranges Touched = {};
  bool NeedsSource = true; ///< false: of an inline request, nothing of which is left to read
};

/// On the task of the sub-event's kind, with all before it that the table orders.
void enter(Tasks &Of, const SubEvent &E) {
  const Tsan &T = *Tsan::get();
  auto kind = static_cast<unsigned>(E.Kind);
  if (!Of.OfKind[kind]) {
    Of.OfKind[kind] = T.create(0);
    T.name(Of.OfKind[kind], nameOf(E.Kind));
  }
  // What the program did before the post.
  bool AfterProgram = observedOrder(Processors, lW, E.Kind) == Order::Kept;
  T.switchTo(Of.OfKind[kind], AfterProgram ? Tsan::Synchronize : Tsan::Unordered);
  for (unsigned Earlier = 0; Earlier < NumEventKinds; ++Earlier)
    if (auto K = static_cast<EventKind>(Earlier);
        isNic(K) && Of.OfKind[Earlier] && observedOrder(Processors, K, E.Kind) != Order::None)
      T.acquire(&Of.Marks[Earlier]);
  // Guaranteed-before: a delivery, a fence, a source that is read after it.
  if (Of.Holding && (E.Kind == nlR || E.Kind == nrW) && E.NeedsSource)
    T.acquire(&Of.HeldBack);
  if (isRemote(E.Kind) && Of.Target) {
    std::lock_guard Guard(TasksLock);
    for (Tasks *Other : everyTask())
      if (Other != &Of && Other->Target == Of.Target)
        T.acquire(&Other->Remote);
  }
}

void leave(Tasks &Of, const SubEvent &E) {
  const Tsan &T = *Tsan::get();
  T.release(&Of.Marks[static_cast<unsigned>(E.Kind)]);
  if (E.Kind == nF) { // on a task of its own: the fence itself waits for less
    if (!Of.Holding)
      T.name(Of.Holding = T.create(0), nameOf(nF));
    T.switchTo(Of.Holding, Tsan::Unordered);
    T.acquire(&Of.Marks[static_cast<unsigned>(nlW)]);
    T.release(&Of.HeldBack);
  }
  if (isRemote(E.Kind) && Of.Target)
    T.release(&Of.Remote);
}

void touchAt(void *Bytes, size_t Size, EventKind Kind, bool Whole, void *Pc) {
  const Tsan &T = *Tsan::get();
  if (Kind == narR)
    return; // it is one with its write
  bool IsAtomic = Kind == narW || (isRemote(Kind) && Whole);
  if (!IsAtomic)
    return (writes(Kind) ? T.write : T.read)(Bytes, Size, Pc);
  T.enter(Pc); // these take no place of their own
  if (writes(Kind))
    T.addNothing(Bytes, Size);
  else
    T.look(Bytes, Size);
  T.leave();
}

/// Where requests that use this process's own memory as their target are held against each other: to them a
/// word is not atomic.
void *aliasOf(uint64_t Address) {
  constexpr uint64_t Size = uint64_t(1) << 30;
  static char *Room = static_cast<char *>(
      mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return Room + Address % Size;
}

/// The accesses, as if made where the request was posted.
void touch(const Tasks &Of, const SubEvent &E, const Stack &At) {
  const Tsan &T = *Tsan::get();
  for (size_t I = At.size(); I > 1; --I)
    T.enter(At[I - 1]);
  void *Pc = At.empty() ? nullptr : At[0];
  for (const ibv_sge &S : E.Touched) {
    if (!S.length)
      continue;
    bool IsAtomic = isRemote(E.Kind) && !Of.Target && isWord(S.addr, S.length);
    touchAt(reinterpret_cast<void *>(S.addr), S.length, E.Kind, IsAtomic, Pc);
    if (IsAtomic)
      touchAt(aliasOf(S.addr), S.length, E.Kind, false, Pc);
  }
  for (size_t I = At.size(); I > 1; --I)
    T.leave();
}

void tell(Tasks &Of, const SubEvent &E, const Stack &At) {
  const Tsan &T = *Tsan::get();
  void *Program = T.current();
  enter(Of, E);
  touch(Of, E, At);
  leave(Of, E);
  T.switchTo(Program, Tsan::Unordered);
}

/// The end of the request at this position, whose completion says that all before it have ended too; of a put
/// not that it has reached memory, of what delivers a result that the puts before it have.
void end(Tasks &Of, const Request &R) {
  const Tsan &T = *Tsan::get();
  if (!Of.Completing) {
    Of.Completing = T.create(0);
    T.name(Of.Completing, "NIC: completions");
  }
  void *Program = T.current();
  T.switchTo(Of.Completing, Tsan::Unordered);
  auto acquire = [&](EventKind K) {
    if (auto Number = static_cast<unsigned>(K); Of.OfKind[Number])
      T.acquire(&Of.Marks[Number]);
  };
  acquire(nlR), acquire(nlW);
  if (!isPut(R.Opcode))
    acquire(nrR), acquire(nrW);
  T.release(&Of.Ends[R.Position % Of.Ends.size()]);
  T.switchTo(Program, Tsan::Unordered);
}

/// The target's bytes of a request.
Bytes targetOf(QueuePair &Qp, const Request &R) {
  bool HasTarget = !isSend(R.Opcode) && R.Length && !Qp.isDatagram();
  SharedQueuePair *There = HasTarget ? Qp.remote() : nullptr;
  if (!There)
    return {};
  Qp.Checked->Target = Qp.Target->isSelf() ? 0 : Qp.Target->pid();
  return Qp.Target->find(R.Rkey, R.RemoteAddr, R.Length, 0, There->Domain);
}

/// All of its sub-events, in program order. Of the target's bytes those that lie in this process.
void tellAll(QueuePair &Qp, const Request &R, const Bytes &Found, const Stack &At) {
  ibv_sge Target = {reinterpret_cast<uint64_t>(Found.Mapped),
                    Found && Found.Mapped ? static_cast<uint32_t>(R.Length) : 0, 0};
  Ranges Local(R.Sges, R.SgeCount), There(&Target, 1);
  auto tellOf = [&](EventKind Kind, Ranges Touched, bool NeedsSource = true) {
    tell(*Qp.Checked, {Kind, Touched, NeedsSource}, At);
  };
  if (R.Flags & IBV_SEND_FENCE)
    tellOf(nF, {});
  if (isAtomic(R.Opcode))
    tellOf(narR, There), tellOf(narW, There), tellOf(nlW, Local);
  else if (!isPut(R.Opcode))
    tellOf(nrR, There), tellOf(nlW, Local);
  else if (R.Flags & IBV_SEND_INLINE)
    tellOf(nrW, There, false);
  else
    tellOf(nlR, Local), tellOf(nrW, There);
}

} // namespace

Tasks::Tasks(uint32_t Depth) : Ends(std::bit_ceil(4 * (Depth + 16))) {
  std::lock_guard Guard(TasksLock);
  everyTask().insert(this);
}

Tasks::~Tasks() {
  {
    std::lock_guard Guard(TasksLock);
    everyTask().erase(this);
  }
  const Tsan *T = Tsan::get();
  if (!T)
    return;
  for (void *Task : OfKind)
    if (Task)
      T->destroy(Task);
  for (void *Task : {Completing, Holding})
    if (Task)
      T->destroy(Task);
}

void Tasks::acquireAll() {
  if (const Tsan *T = Tsan::get())
    for (Mark &M : Marks)
      T->acquire(&M);
}

bool isWord(uint64_t Address, uint64_t Length) {
  return Length <= 8 && std::has_single_bit(Length) && Address % Length == 0;
}

void acquireEveryTask() {
  std::lock_guard Guard(TasksLock);
  for (Tasks *Of : everyTask())
    Of->acquireAll();
}

void posted(QueuePair &Qp, const Request &R) {
  if (!Qp.Checked)
    Qp.Checked = std::make_unique<Tasks>(Qp.Init.cap.max_send_wr);
  Outstanding O = {R.Position, R.Opcode, R.Signaled, &callers()};
  if (!(R.Flags & IBV_SEND_INLINE))
    for (const ibv_sge &S : Ranges(R.Sges, R.SgeCount))
      if (S.length)
        O.Keys[O.KeyCount++] = S.lkey;
  Bytes There = targetOf(Qp, R);
  postedTo(Qp, R, There, *O.PostedAt);
  if (Tsan::get()) {
    tellAll(Qp, R, There, *O.PostedAt);
    end(*Qp.Checked, R);
  }
  Qp.Checked->Open.push_back(O);
}

void taken(QueuePair &Qp, uint32_t Position) {
  std::lock_guard Guard(Qp.Lock);
  if (!Qp.Checked)
    return;
  std::deque<Outstanding> &Open = Qp.Checked->Open;
  while (!Open.empty() && static_cast<int32_t>(Open.front().Position - Position) <= 0)
    Open.pop_front();
  if (const Tsan *T = Tsan::get())
    T->acquire(&Qp.Checked->Ends[Position % Qp.Checked->Ends.size()]);
}

void receivePosted(Tasks &Of, uint32_t Position, const ibv_recv_wr &Wr) {
  const Tsan *T = Tsan::get();
  if (!T)
    return;
  SubEvent Delivery = {nlW, {Wr.sg_list, static_cast<size_t>(Wr.num_sge)}};
  const Stack &At = callers();
  void *Program = T->current();
  enter(Of, Delivery);
  touch(Of, Delivery, At);
  T->release(&Of.Marks[static_cast<unsigned>(nlW)]);
  T->release(&Of.Ends[Position % Of.Ends.size()]);
  T->switchTo(Program, Tsan::Unordered);
}

void receiveTaken(Tasks &Of, uint32_t Position) {
  if (const Tsan *T = Tsan::get())
    T->acquire(&Of.Ends[Position % Of.Ends.size()]);
}

} // namespace rdma::device::check

#include "runtime/device/Weak.h"

#include "runtime/device/GiveWay.h"
#include "runtime/device/WeakPiece.h"

#include <algorithm>
#include <new>

namespace rdma::device {

using namespace std::chrono_literals;

namespace {

constexpr auto Interval = 250us;            ///< between looks at whether the program makes calls
constexpr auto HastyInterval = 60us;        ///< when it spins on memory
constexpr uint64_t FewCalls = 10;           ///< since the last look: then the clock is moved on
constexpr uint64_t TicksPerInterval = 1000; ///< by so much
constexpr uint64_t TicksPerYield = 250;     ///< few of them make up for the longest delay
constexpr auto DrainLimit = 100ms;

bool hasFailed(const Piece &P) { return P.Of && P.Of->Failure != IBV_WC_SUCCESS; }

/// How many entries of the pipe may move: nothing does behind a request that failed, not even when it has
/// left the pipe and its completion waits for its turn.
size_t movable(const WeakQueues &Q) {
  auto isFailure = [](const auto &E) { return E.Kind == nic::EntryKind::Completion && hasFailed(E.Data); };
  if (std::any_of(Q.ToLocal.begin(), Q.ToLocal.end(), isFailure))
    return 0;
  size_t At = 0;
  while (At < Q.Pipe.size() && !hasFailed(Q.Pipe[At].Data))
    ++At;
  return At + 1;
}

bool looksAtPipe(nic::Rule R) {
  return R != nic::Rule::PutArrives && R != nic::Rule::AtomicArrives && R != nic::Rule::LocalWriteArrives;
}

/// The enabled steps; what is behind a failed request stands still. The lock of a target that has not been
/// found is nobody's: the step itself looks for the target, and fails in the end.
std::vector<nic::Step> stepsOf(QueuePair &Qp) {
  bool LockFree = !Qp.Target || Qp.Target->segment().AtomicsLock.isFree();
  std::vector<nic::Step> Steps = nic::enabledSteps(*Qp.Weak, LockFree);
  size_t Movable = movable(*Qp.Weak);
  std::erase_if(Steps, [&](nic::Step S) { return looksAtPipe(S.Taken) && S.Position >= Movable; });
  return Steps;
}

} // namespace

WeakScheduler *WeakScheduler::The = nullptr;

void WeakScheduler::start(uint32_t Lid) {
  if (!Settings::get().Weak)
    return;
  if (!The)
    The = new WeakScheduler(Lid);
  else if (!The->Lid)
    new (The) WeakScheduler(Lid);
}

void WeakScheduler::afterForkInChild() {
  // In place: handles that the child inherited still point to its lock. No LID is 0.
  if (The)
    new (The) WeakScheduler(0);
}

WeakScheduler::WeakScheduler(uint32_t Lid) : Lid(Lid) { begin(Settings::get().Seed); }

void WeakScheduler::restart(uint64_t Seed) {
  std::lock_guard Guard(Lock);
  Driven = true;
  drainAll();
  begin(Seed);
}

void WeakScheduler::begin(uint64_t Seed) {
  // A LID that was asked for says who this is; else the place in the family of a program that forks its
  // nodes.
  uint32_t Base = Settings::get().StreamBase;
  uint64_t Process = Base && familyPosition() ? familyPosition() : Lid - Base;
  Run = scatterBits({Seed, Process});
  ++Epoch;
  // Each run has a temper of its own: how often, and how long, steps are held back.
  static constexpr uint64_t Chances[] = {15, 60, 200}, Delays[] = {1000, 3000, 8000};
  auto temper = [&](uint64_t Which) { return scatterBits({Run, uint64_t(Choice::Temper), Which}); };
  LongChance = Chances[temper(0) % 3];
  LongDelay = Delays[temper(1) % 3];
  Reluctance = temper(2) % 6;
}

uint64_t WeakScheduler::choose(const QueuePair &Qp, Choice What, uint64_t About, uint64_t Again) const {
  return scatterBits({Run, Qp.Stream, uint64_t(What), About, Again});
}

/// Tells a step from all others of the queue pair: the request, the piece of it, the rule.
uint64_t WeakScheduler::aboutStep(const QueuePair &Qp, nic::Step S) const {
  const WeakQueues &Q = *Qp.Weak;
  const auto &Queue = S.Taken == nic::Rule::LocalWriteArrives ? Q.ToLocal
                      : looksAtPipe(S.Taken)                  ? Q.Pipe
                                                              : Q.ToRemote;
  const Piece &P = Queue[S.Position].Data;
  uint64_t Request = P.Of ? P.Of->Position - Qp.FirstOfRun + 1 : 0;
  return scatterBits({Request, P.Begin, uint64_t(S.Taken)});
}

uint64_t WeakScheduler::longDelay(uint64_t Chosen) const { return LongDelay / 8 + Chosen % LongDelay; }

uint64_t WeakScheduler::delay(uint64_t Chosen) const {
  if (Chosen % 1000 < LongChance)
    return longDelay(scatterBits(Chosen));
  Chosen /= 1000;
  switch (Chosen % 4) {
  case 0:
    return Chosen / 4 % 100;
  case 1:
    return Chosen / 4 % 10;
  default:
    return 0;
  }
}

std::vector<Piece> WeakScheduler::choosePieces(const QueuePair &Qp, const std::shared_ptr<Request> &R,
                                               uint64_t Number) const {
  bool IsWrite = R->Opcode == IBV_WR_RDMA_WRITE || R->Opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  if (uint64_t Unit = Settings::get().TornUnit; Unit && IsWrite && R->Length)
    return tornPiecesOf(R, Unit, choose(Qp, Choice::Tear, Number));
  return piecesOf(R, choose(Qp, Choice::Split, Number) % 2);
}

void WeakScheduler::post(QueuePair &Qp, Request &&R) {
  auto Shared = std::make_shared<Request>(std::move(R));
  if (!Qp.Stream)
    Qp.Stream = ++Enrolled;
  if (std::exchange(Qp.Epoch, Epoch) != Epoch)
    Qp.FirstOfRun = Shared->Position;
  uint64_t Number = Shared->Position - Qp.FirstOfRun;
  bool IsInline = !Shared->Inline.empty();
  bool Fenced = Shared->Flags & IBV_SEND_FENCE;
  for (Piece &P : choosePieces(Qp, Shared, Number)) {
    nic::EntryKind Kind = Shared->Opcode == IBV_WR_RDMA_READ ? nic::EntryKind::Get
                          : isAtomic(Shared->Opcode)         ? nic::EntryKind::Atomic
                          : IsInline                         ? nic::EntryKind::PutValue
                                                             : nic::EntryKind::Put;
    if (IsInline)
      P.Bytes = std::make_shared<std::vector<char>>(Shared->Inline.begin() + static_cast<ptrdiff_t>(P.Begin),
                                                    Shared->Inline.begin() +
                                                        static_cast<ptrdiff_t>(P.Begin + P.Length));
    bool Signaled = P.Last && Shared->Signaled;
    Qp.Weak->post({Kind, Signaled, std::move(P)}, std::exchange(Fenced, false));
  }
  if (std::find(Active.begin(), Active.end(), &Qp) == Active.end()) {
    if (Active.empty()) {
      Watch.begin();
      CallsBefore = Calls;
    }
    Active.push_back(&Qp);
    Qp.Due = Now + delay(choose(Qp, Choice::First, Number));
    if (!Driven)
      Service::get().attend(this);
  }
}

void WeakScheduler::call() {
  std::lock_guard Guard(Lock);
  ++Now;
  ++Calls;
  run();
}

void WeakScheduler::yielded() {
  if (Lock.isMine()) // an allocator that the device has called, and that waits
    return;
  std::lock_guard Guard(Lock);
  if (Driven || Active.empty())
    return;
  ++Calls;
  Now += TicksPerYield;
  run();
}

void WeakScheduler::pass(uint64_t Ticks) {
  std::lock_guard Guard(Lock);
  Calls += Ticks;
  for (uint64_t End = Now + Ticks; Now < End; run()) {
    uint64_t Next = End;
    for (const QueuePair *Qp : Active)
      Next = std::min(Next, Qp->Due);
    Now = std::max(Next, Now + 1);
  }
}

std::optional<std::chrono::nanoseconds> WeakScheduler::progress() {
  // Never waiting for the lock: whoever has it is in a call, and so moves the clock itself. Nor is the
  // program, on a busy machine, to wait for a thread that got the lock and has lost the processor.
  std::unique_lock Guard(Lock, std::try_to_lock);
  if (!Guard)
    return Interval;
  uint64_t CallsNow = Calls; // before the look: what is called meanwhile counts for the next one too
  if (CallsNow - CallsBefore >= FewCalls && !Active.empty() && !Driven) {
    CallsBefore = CallsNow;
    Watch.begin();
    Watch.sawSpinning(false);
    return Interval;
  }
  Guard.unlock();
  // A process that has not had the processor is left alone: its run does not depend on the load of the
  // machine. Without the lock, which would put the program to sleep that is looked at.
  Activity Lately = Watch.look();
  if (!Guard.try_lock())
    return Interval;
  if (Watch.isOver())
    Lately = Activity::Unknown;
  bool Few = Calls - CallsBefore < FewCalls;
  if (Lately == Activity::Busy)
    Watch.sawSpinning(Few);
  if (Lately != Activity::Unknown)
    CallsBefore = CallsNow;
  if (Driven)
    return std::nullopt;
  if (Lately == Activity::Asleep || (Lately == Activity::Busy && Few)) {
    Now += TicksPerInterval;
    run();
  }
  if (Active.empty())
    return std::nullopt;
  return Watch.isHasty() ? HastyInterval : Interval;
}

/// Every queue pair whose tick has come takes a step, the longest due first. One whose peer is gone is not
/// held up, lest its program waits for the error for as long as the machine is busy.
void WeakScheduler::run() {
  for (QueuePair *Qp : Active)
    if (Qp->Target && !Qp->Target->alive())
      Qp->Due = std::min(Qp->Due, Now);
  for (;;) {
    auto First = std::min_element(Active.begin(), Active.end(),
                                  [](QueuePair *A, QueuePair *B) { return A->Due < B->Due; });
    if (First == Active.end() || (*First)->Due > Now)
      return;
    takeTurn(**First);
  }
}

void WeakScheduler::takeTurn(QueuePair &Qp) {
  if (Qp.state() == IBV_QPS_ERR)
    Qp.flushOnceReported();
  std::vector<nic::Step> Steps = stepsOf(Qp);
  if (holdsBack(Qp, Steps)) {
    Qp.Due = Now + longDelay(choose(Qp, Choice::HoldDelay, aboutStep(Qp, Steps.front()), Qp.Turns++));
  } else if (std::optional<uint64_t> Taken = take(Qp, Steps)) {
    Qp.Due = Now + delay(choose(Qp, Choice::Delay, *Taken));
    Qp.Turns = 0;
  } else { // Blocked: by the peer, or by the atomics lock. Tries again soon.
    Qp.Due = Now + 1 + choose(Qp, Choice::Retry, Qp.Turns++) % 64;
  }
  settle(Qp);
  if (Qp.Weak->quiet()) {
    std::erase(Active, &Qp);
    Qp.announceDrained();
  }
}

/// Whether the temper of the run is to let other steps go first.
bool WeakScheduler::isReluctant(nic::Step S) const {
  using nic::Rule;
  switch (S.Taken) {
  case Rule::PutArrives:
  case Rule::AtomicArrives:
    return Reluctance == 0;
  case Rule::LocalWriteArrives:
    return Reluctance == 1;
  case Rule::PutReads:
    return Reluctance == 2;
  case Rule::GetReads:
  case Rule::AtomicReads:
    return Reluctance == 3;
  default:
    return false;
  }
}

/// Leaves the reluctant steps out, mostly. Whether all wait for another turn, when there are no others.
bool WeakScheduler::holdsBack(QueuePair &Qp, std::vector<nic::Step> &Steps) const {
  auto Others = std::partition(Steps.begin(), Steps.end(), [&](nic::Step S) { return !isReluctant(S); });
  if (Others == Steps.end() || choose(Qp, Choice::Hold, aboutStep(Qp, *Others), Qp.Turns) % 4 == 0)
    return false;
  if (Others == Steps.begin())
    return choose(Qp, Choice::HoldAll, aboutStep(Qp, *Others), Qp.Turns) % 3 == 0;
  Steps.erase(Others, Steps.end());
  return false;
}

/// Takes one of the steps; nothing when the peer and the lock allow none.
std::optional<uint64_t> WeakScheduler::take(QueuePair &Qp, std::vector<nic::Step> Steps) {
  // One that others have passed for long gets another chance.
  auto rank = [&](nic::Step S) { return choose(Qp, Choice::Next, aboutStep(Qp, S), Qp.Posted / 16); };
  while (!Steps.empty()) {
    auto First = std::min_element(Steps.begin(), Steps.end(),
                                  [&](nic::Step A, nic::Step B) { return rank(A) < rank(B); });
    uint64_t About = aboutStep(Qp, *First);
    bool Blocked = false;
    if (takeOne(Qp, *First, Blocked))
      return About;
    if (!Blocked)
      return std::nullopt;
    Steps.erase(First);
  }
  return std::nullopt;
}

/// Whether the step was taken; Blocked: others may be, now.
bool WeakScheduler::takeOne(QueuePair &Qp, nic::Step S, bool &Blocked) {
  WeakQueues &Q = *Qp.Weak;
  WeakMemory Memory(Qp);
  if (!looksAtPipe(S.Taken) || S.Taken == nic::Rule::FenceLeaves)
    return nic::apply(Q, S, Memory);
  auto &Entry = Q.Pipe[S.Position];
  if (hasFailed(Entry.Data) && S.Taken != nic::Rule::AckCompletes) {
    Entry.Kind = nic::EntryKind::Ack; // a piece of a request of which another piece failed
    return true;
  }
  Result May = hasFailed(Entry.Data) ? Result{} : Memory.admit(S.Taken, Entry.Data);
  if (May.What == Outcome::Done)
    return nic::apply(Q, S, Memory);
  if (May.What == Outcome::Later || (May.What != Outcome::Failed && Qp.waits(*Entry.Data.Of, May.What)))
    return !(Blocked = true);
  // It gives up its effects; what is left of it is its completion, in its turn.
  Entry.Data.Of->Failure = failureOf(May);
  Entry.Kind = nic::EntryKind::Ack;
  Entry.Signaled = true;
  return true;
}

/// Completions whose turn has come enter the completion queue.
void WeakScheduler::settle(QueuePair &Qp) {
  while (std::optional<Piece> Done = Qp.Weak->poll()) {
    if (Done->Of->Failure == IBV_WC_SUCCESS)
      acknowledge(Qp, Done->Of->Position);
    Qp.complete(*Done->Of, Done->Of->Failure);
    if (Done->Of->Failure != IBV_WC_SUCCESS) {
      Done->Of->Reported = true;
      Qp.fail();
      return;
    }
  }
}

static void arriveOldest(WeakQueues &Q, WeakMemory &Memory) {
  bool IsAtomic = Q.ToRemote.front().Kind == nic::EntryKind::AtomicWrite;
  nic::applyArrival(Q, {IsAtomic ? nic::Rule::AtomicArrives : nic::Rule::PutArrives, 0}, Memory);
}

/// What is on its way of the requests up to this position is about to be acknowledged.
void WeakScheduler::acknowledge(QueuePair &Qp, uint32_t Position) {
  WeakMemory Memory(Qp);
  auto &Way = Qp.Weak->ToRemote;
  for (size_t At = 0; At < Way.size() && static_cast<int32_t>(Way[At].Data.Of->Position - Position) <= 0;) {
    if (Way[At].Data.Ticket || Memory.acknowledge(Way[At].Data)) {
      ++At;
      continue;
    }
    // No room to keep it: it arrives first, and what is before it.
    for (++At; At; --At)
      arriveOldest(*Qp.Weak, Memory);
  }
}

void WeakScheduler::arriveAll(QueuePair &Qp) {
  WeakMemory Memory(Qp);
  while (!Qp.Weak->ToRemote.empty())
    arriveOldest(*Qp.Weak, Memory);
}

void WeakScheduler::drain(QueuePair &Qp) {
  std::lock_guard Guard(Lock);
  auto Limit = Clock::now() + DrainLimit;
  while (!Qp.Weak->quiet() && Clock::now() < Limit)
    if (!take(Qp, stepsOf(Qp)))
      giveWay();
  arriveAll(Qp);
  settle(Qp);
  discard(Qp);
  std::erase(Active, &Qp);
}

void WeakScheduler::drainAll() {
  std::lock_guard Guard(Lock);
  while (!Active.empty())
    drain(*Active.back());
}

bool WeakScheduler::failureDue(const QueuePair &Qp) const {
  auto isDue = [](const auto &E) { return hasFailed(E.Data) && !E.Data.Of->Reported; };
  const WeakQueues &Q = *Qp.Weak;
  return std::any_of(Q.Pipe.begin(), Q.Pipe.end(), isDue) ||
         std::any_of(Q.ToLocal.begin(), Q.ToLocal.end(), isDue);
}

/// How many requests at the front of the pipe the target has acknowledged: those up to the last message that
/// its receiver has. The receiver may act on it, and end the connection; the acknowledgement left before
/// that.
static size_t acknowledged(const WeakQueues &Q) {
  size_t Count = 0;
  for (size_t At = 0; At < Q.Pipe.size(); ++At) {
    const auto &E = Q.Pipe[At];
    if (E.Kind != nic::EntryKind::Ack || hasFailed(E.Data))
      break;
    if (E.Data.Of->Received)
      Count = At + 1;
  }
  return Count;
}

void WeakScheduler::beforeTheEnd(QueuePair &Qp) {
  std::lock_guard Guard(Lock);
  if (!Qp.Weak || Qp.state() != IBV_QPS_RTS || failureDue(Qp))
    return;
  WeakMemory Memory(Qp);
  for (size_t Left = acknowledged(*Qp.Weak); Left; --Left)
    nic::apply(*Qp.Weak, {nic::Rule::AckCompletes, 0}, Memory);
  while (!Qp.Weak->ToLocal.empty()) {
    if (Qp.Weak->ToLocal.front().Kind == nic::EntryKind::LocalWrite)
      nic::applyArrival(*Qp.Weak, {nic::Rule::LocalWriteArrives, 0}, Memory);
    else
      settle(Qp);
  }
}

void WeakScheduler::flush(QueuePair &Qp) {
  std::lock_guard Guard(Lock);
  WeakQueues &Q = *Qp.Weak;
  WeakMemory Memory(Qp);
  arriveAll(Qp);
  while (!Q.ToLocal.empty()) {
    if (Q.ToLocal.front().Kind == nic::EntryKind::LocalWrite)
      nic::applyArrival(Q, {nic::Rule::LocalWriteArrives, 0}, Memory);
    else if (std::optional<Piece> Done = Q.poll())
      Qp.complete(*Done->Of, Done->Of->Failure);
  }
  for (auto &Entry : Q.Pipe)
    if (Entry.Data.Of && Entry.Data.Last && !Entry.Data.Of->Reported &&
        Entry.Kind != nic::EntryKind::AtomicWrite)
      Qp.complete(*Entry.Data.Of, IBV_WC_WR_FLUSH_ERR);
  discard(Qp);
}

/// Forgets what is in the queues, and gives back a lock that is held for it.
void WeakScheduler::discard(QueuePair &Qp) {
  WeakQueues &Q = *Qp.Weak;
  auto isHolder = [](const auto &E) { return E.Kind == nic::EntryKind::AtomicWrite; };
  if (std::any_of(Q.Pipe.begin(), Q.Pipe.end(), isHolder) ||
      std::any_of(Q.ToRemote.begin(), Q.ToRemote.end(), isHolder))
    Qp.Target->segment().AtomicsLock.unlock();
  Q = {};
}

} // namespace rdma::device

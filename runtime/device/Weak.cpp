#include "runtime/device/Weak.h"

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

/// The enabled steps; what is behind a failed request stands still.
std::vector<nic::Step> stepsOf(QueuePair &Qp) {
  bool LockFree = Qp.Target && Qp.Target->segment().AtomicsLock.isFree();
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
  // The streams of neighbouring seeds and nodes have nothing in common.
  State = Seed;
  State = random() + Lid;
  State = random();
  // Each run has a temper of its own: how often, and how long, steps are held back.
  static constexpr uint64_t Chances[] = {15, 60, 200}, Delays[] = {1000, 3000, 8000};
  LongChance = Chances[random() % 3];
  LongDelay = Delays[random() % 3];
  Reluctance = random() % 6;
}

/// SplitMix64.
uint64_t WeakScheduler::random() {
  uint64_t Z = State += 0x9e3779b97f4a7c15;
  Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
  return Z ^ Z >> 31;
}

uint64_t WeakScheduler::longDelay() { return LongDelay / 8 + random() % LongDelay; }

uint64_t WeakScheduler::delay() {
  if (random() % 1000 < LongChance)
    return longDelay();
  switch (random() % 4) {
  case 0:
    return random() % 100;
  case 1:
    return random() % 10;
  default:
    return 0;
  }
}

void WeakScheduler::post(QueuePair &Qp, Request &&R) {
  auto Shared = std::make_shared<Request>(std::move(R));
  bool IsInline = !Shared->Inline.empty();
  bool Fenced = Shared->Flags & IBV_SEND_FENCE;
  for (Piece &P : piecesOf(Shared, random() % 2)) {
    nic::EntryKind Kind = Shared->Opcode == IBV_WR_RDMA_READ ? nic::EntryKind::Get
                          : isAtomic(Shared->Opcode)         ? nic::EntryKind::Atomic
                          : IsInline                         ? nic::EntryKind::PutValue
                                                             : nic::EntryKind::Put;
    if (IsInline)
      P.Bytes = std::make_shared<std::vector<char>>(Shared->Inline);
    bool Signaled = P.Last && Shared->Signaled;
    Qp.Weak->post({Kind, Signaled, std::move(P)}, std::exchange(Fenced, false));
  }
  if (std::find(Active.begin(), Active.end(), &Qp) == Active.end()) {
    if (Active.empty()) {
      Watch.begin();
      CallsBefore = Calls;
    }
    Active.push_back(&Qp);
    Qp.Due = Now + delay();
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
  // A process that has not had the processor is left alone: its run does not depend on the load of the
  // machine. Without the lock, which would put the program to sleep that is looked at.
  uint64_t CallsNow = Calls; // before the look: what is called meanwhile counts for the next one too
  Activity Lately = Watch.look();
  std::lock_guard Guard(Lock);
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
    QueuePair &Qp = **First;
    if (Qp.state() == IBV_QPS_ERR)
      Qp.flushOnceReported();
    // Blocked: by the peer, or by the atomics lock. Tries again soon.
    std::vector<nic::Step> Steps = stepsOf(Qp);
    Qp.Due = Now + (holdsBack(Steps) ? longDelay() : take(Qp, Steps) ? delay() : 1 + random() % 64);
    settle(Qp);
    if (Qp.Weak->quiet())
      std::erase(Active, &Qp);
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
bool WeakScheduler::holdsBack(std::vector<nic::Step> &Steps) {
  auto Others = std::partition(Steps.begin(), Steps.end(), [&](nic::Step S) { return !isReluctant(S); });
  if (Others == Steps.end() || random() % 4 == 0)
    return false;
  if (Others == Steps.begin())
    return random() % 3 == 0;
  Steps.erase(Others, Steps.end());
  return false;
}

/// Takes one of the steps at random; false when the peer and the lock allow none.
bool WeakScheduler::take(QueuePair &Qp, std::vector<nic::Step> Steps) {
  WeakQueues &Q = *Qp.Weak;
  WeakMemory Memory(Qp);
  while (!Steps.empty()) {
    size_t Choice = random() % Steps.size();
    nic::Step S = Steps[Choice];
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
    if (May.What == Outcome::Later) {
      Steps.erase(Steps.begin() + static_cast<std::ptrdiff_t>(Choice));
      continue;
    }
    if (May.What == Outcome::Failed || !Qp.waits(*Entry.Data.Of, May.What)) {
      // It gives up its effects; what is left of it is its completion, in its turn.
      Entry.Data.Of->Failure = failureOf(May);
      Entry.Kind = nic::EntryKind::Ack;
      Entry.Signaled = true;
      return true;
    }
    Steps.erase(Steps.begin() + static_cast<std::ptrdiff_t>(Choice));
  }
  return false;
}

/// Completions whose turn has come enter the completion queue.
void WeakScheduler::settle(QueuePair &Qp) {
  while (std::optional<Piece> Done = Qp.Weak->poll()) {
    Qp.complete(*Done->Of, Done->Of->Failure);
    if (Done->Of->Failure != IBV_WC_SUCCESS) {
      Done->Of->Reported = true;
      Qp.fail();
      return;
    }
  }
}

void WeakScheduler::drain(QueuePair &Qp) {
  std::lock_guard Guard(Lock);
  auto Limit = Clock::now() + DrainLimit;
  while (!Qp.Weak->quiet() && Clock::now() < Limit)
    if (!take(Qp, stepsOf(Qp)))
      sched_yield();
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

void WeakScheduler::flush(QueuePair &Qp) {
  std::lock_guard Guard(Lock);
  WeakQueues &Q = *Qp.Weak;
  WeakMemory Memory(Qp);
  auto arrive = [&](nic::Rule R) { nic::applyArrival(Q, {R, 0}, Memory); };
  while (!Q.ToRemote.empty())
    arrive(Q.ToRemote.front().Kind == nic::EntryKind::AtomicWrite ? nic::Rule::AtomicArrives
                                                                  : nic::Rule::PutArrives);
  while (!Q.ToLocal.empty()) {
    if (Q.ToLocal.front().Kind == nic::EntryKind::LocalWrite)
      arrive(nic::Rule::LocalWriteArrives);
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

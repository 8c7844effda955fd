#include "runtime/device/QueuePair.h"

#include "runtime/device/Binding.h"
#include "runtime/device/Context.h"
#include "runtime/device/Copy.h"
#include "runtime/device/Explain.h"
#include "runtime/device/Link.h"
#include "runtime/device/Receive.h"
#include "runtime/device/Weak.h"
#include "runtime/device/WeakPiece.h"
#include "runtime/device/WorkRequests.h"

#include <algorithm>

namespace rdma::device {

namespace {

using namespace std::chrono_literals;

ibv_wc_opcode completionOpcode(ibv_wr_opcode Opcode) {
  switch (Opcode) {
  case IBV_WR_RDMA_WRITE:
  case IBV_WR_RDMA_WRITE_WITH_IMM:
    return IBV_WC_RDMA_WRITE;
  case IBV_WR_RDMA_READ:
    return IBV_WC_RDMA_READ;
  case IBV_WR_ATOMIC_CMP_AND_SWP:
    return IBV_WC_COMP_SWAP;
  case IBV_WR_ATOMIC_FETCH_AND_ADD:
    return IBV_WC_FETCH_ADD;
  case IBV_WR_LOCAL_INV:
    return IBV_WC_LOCAL_INV;
  case IBV_WR_BIND_MW:
    return IBV_WC_BIND_MW;
  default:
    return IBV_WC_SEND;
  }
}

bool isKnown(ibv_wr_opcode Opcode) { return Opcode <= IBV_WR_SEND_WITH_INV; }

Request copyOf(const ibv_send_wr &Wr, ibv_qp_type Type) {
  Request R;
  R.WrId = Wr.wr_id;
  R.Opcode = Wr.opcode;
  R.Flags = Wr.send_flags;
  R.Imm = Wr.imm_data;
  R.SgeCount = static_cast<uint32_t>(Wr.num_sge);
  if (Wr.num_sge == 1) [[likely]]
    R.Sges[0] = Wr.sg_list[0];
  else
    std::copy_n(Wr.sg_list, Wr.num_sge, R.Sges);
  if (Type == IBV_QPT_XRC_SEND) [[unlikely]]
    R.RemoteNumber = Wr.qp_type.xrc.remote_srqn;
  if (Type == IBV_QPT_UD) {
    R.To = Handle::share(Wr.wr.ud.ah);
    R.RemoteNumber = Wr.wr.ud.remote_qpn;
    R.Qkey = Wr.wr.ud.remote_qkey;
  } else if (binding::isLocal(Wr.opcode)) [[unlikely]] {
    if (Wr.opcode == IBV_WR_BIND_MW)
      binding::fill(R, Wr.bind_mw.rkey, Wr.bind_mw.bind_info);
    R.SgeCount = 0;
  } else if (isAtomic(Wr.opcode)) {
    R.RemoteAddr = Wr.wr.atomic.remote_addr;
    R.Rkey = Wr.wr.atomic.rkey;
    R.CompareAdd = Wr.wr.atomic.compare_add;
    R.Swap = Wr.wr.atomic.swap;
  } else {
    R.RemoteAddr = Wr.wr.rdma.remote_addr;
    R.Rkey = Wr.wr.rdma.rkey;
  }
  return R;
}

/// Inline data of a request that outlives its post. No key is looked at: the processor itself reads the data,
/// now.
void keepInline(Request &R) {
  if (!(R.Flags & IBV_SEND_INLINE) || !R.Inline.empty())
    return;
  R.Inline.resize(R.Length);
  uint64_t At = 0;
  for (uint32_t I = 0; I < R.SgeCount; At += R.Sges[I++].length)
    copyWords(R.Inline.data() + At, reinterpret_cast<void *>(R.Sges[I].addr), R.Sges[I].length);
}

/// A peer that is gone is tried for this long, as by hardware that counts retries: the completions of what it
/// did answer come before the error.
constexpr auto GoneTimeout = 100ms;

/// What the timeout field of a queue pair means: 4.096 us times two to its power; 0 is for ever.
Clock::duration ackTimeout(const ibv_qp_attr &Attr) {
  if (!Attr.timeout)
    return 24h;
  auto Once = std::chrono::nanoseconds(int64_t(4096) << std::min<int>(Attr.timeout, 31));
  return std::clamp<Clock::duration>(Once * (Attr.retry_cnt + 1), 100ms, 30s);
}

} // namespace

QueuePair::QueuePair(Node &Home)
    : Home(Home), Lock(WeakScheduler::get() ? WeakScheduler::get()->Lock : OwnLock) {
  if (WeakScheduler::get())
    Weak = std::make_unique<WeakQueues>();
}

QueuePair::~QueuePair() = default;

/// Whether the request can be posted, the first of so many.
[[gnu::always_inline]] inline int QueuePair::check(const Request &R, size_t Count) {
  ibv_qp_state Now = state();
  if (Now != IBV_QPS_RTS && Now != IBV_QPS_SQD && Now != IBV_QPS_ERR && Now != IBV_QPS_SQE)
    return EINVAL;
  if (!isKnown(R.Opcode) || Shared->XrcDomain ||
      (!isReliable() && (!isPut(R.Opcode) || R.Opcode == IBV_WR_SEND_WITH_INV)) ||
      (isDatagram() && (!isSend(R.Opcode) || !R.To)))
    return EINVAL;
  if (R.Flags & IBV_SEND_INLINE &&
      (R.Opcode == IBV_WR_RDMA_READ || isAtomic(R.Opcode) || binding::isLocal(R.Opcode)))
    return EINVAL;
  return Posted - Retired.load(std::memory_order_acquire) + Count > Init.cap.max_send_wr ? ENOMEM : 0;
}

int QueuePair::post(ibv_send_wr *List, ibv_send_wr **Bad) {
  std::lock_guard Guard(Lock);
  ++PostCalls;
  for (ibv_send_wr *Wr = List; Wr; Wr = Wr->next) {
    int Error = EINVAL;
    if (Wr->num_sge >= 0 && static_cast<uint32_t>(Wr->num_sge) <= Init.cap.max_send_sge)
      Error = postOne(copyOf(*Wr, Base.qp_base.qp_type));
    if (Error) {
      *Bad = Wr;
      return Error;
    }
  }
  return 0;
}

int QueuePair::post(std::vector<Request> &All) {
  std::lock_guard Guard(Lock);
  ++PostCalls;
  for (const Request &R : All)
    if (int Error = check(R, All.size()))
      return Error;
  for (Request &R : All)
    postOne(std::move(R));
  return 0;
}

[[gnu::always_inline]] inline int QueuePair::postOne(Request &&R) {
  if (int Error = check(R))
    return Error;
  for (uint32_t I = 0; I < R.SgeCount; ++I)
    R.Length += R.Sges[I].length;
  if (R.Flags & IBV_SEND_INLINE && R.Length > Init.cap.max_inline_data)
    return EINVAL;
  R.Signaled = Init.sq_sig_all || R.Flags & IBV_SEND_SIGNALED;
  R.Position = ++Posted;
  if (check::Enabled) [[unlikely]]
    check::posted(*this, R);
  if (state() == IBV_QPS_ERR || state() == IBV_QPS_SQE) {
    if (flushOnceReported()) {
      complete(R, IBV_WC_WR_FLUSH_ERR);
      return 0;
    }
    wait(std::move(R));
    return 0;
  }
  if (link::isSlow()) [[unlikely]]
    R.ReadyAt = link::readyAt(*this, R);
  if (!Pending.empty() || state() != IBV_QPS_RTS || !begin(R))
    wait(std::move(R));
  return 0;
}

void QueuePair::wait(Request &&R) {
  keepInline(R);
  Pending.push_back(std::move(R));
  Service::get().attend(&Waiting);
}

/// Carries the request out, or hands it to the weak schedule. False when it has to wait.
[[gnu::always_inline]] inline bool QueuePair::begin(Request &R) {
  if (R.ReadyAt != Clock::time_point{} && Clock::now() < R.ReadyAt) {
    IsDelayed = true; // before it is noted: who finds the note finds the queue pair
    link::note(R.ReadyAt);
    return false;
  }
  if (WeakScheduler *Scheduler = WeakScheduler::get(); Scheduler && isReliable()) {
    keepInline(R);
    Scheduler->post(*this, std::move(R));
    return true;
  }
  Result Now = execute(*this, R);
  if (Now.What != Outcome::Done && Now.What != Outcome::Failed && waits(R, Now.What)) {
    Announcing.reset();
    return false;
  }
  settle(R, Now);
  Announcing.reset();
  return true;
}

/// Who has no receive says how long to wait before each retry.
Clock::time_point QueuePair::receiveLimit() {
  if (Attr.rnr_retry == 7)
    return Clock::time_point::max();
  SharedQueuePair *There = remote();
  uint32_t Timer = There ? There->RnrTimer : Attr.min_rnr_timer;
  return Clock::now() + std::chrono::nanoseconds(Settings::get().RnrGraceNanoseconds) +
         rnrDelay(static_cast<uint8_t>(Timer)) * Attr.rnr_retry;
}

bool QueuePair::waits(Request &R, Outcome Why) {
  auto Now = Clock::now();
  if (Why == Outcome::PeerGone) {
    if (GoneAt == Clock::time_point{})
      GoneAt = Now;
    return Now < GoneAt + GoneTimeout;
  }
  if (R.WaitsFor != Why) {
    R.WaitsFor = Why;
    R.Deadline = Now + ackTimeout(Attr);
    if (Why == Outcome::NoReceive)
      R.Deadline = receiveLimit();
  }
  if (Now < R.Deadline)
    return true;
  if (Why == Outcome::NotReady)
    explainUnreachable(*this);
  return false;
}

ibv_wc_status failureOf(Result Last) {
  return Last.What == Outcome::Failed      ? Last.Status
         : Last.What == Outcome::NoReceive ? IBV_WC_RNR_RETRY_EXC_ERR
                                           : IBV_WC_RETRY_EXC_ERR;
}

Result QueuePair::unreachable() {
  return {Target && !Target->alive() ? Outcome::PeerGone : Outcome::NotReady};
}

[[gnu::always_inline]] inline void QueuePair::settle(Request &R, Result Last) {
  if (Last.What == Outcome::Done)
    return complete(R, IBV_WC_SUCCESS);
  complete(R, failureOf(Last));
  failSending();
}

std::optional<std::chrono::nanoseconds> QueuePairAttendant::progress() { return Qp.progress(); }

std::optional<std::chrono::nanoseconds> QueuePair::progress() {
  std::lock_guard Guard(Lock);
  if (state() == IBV_QPS_ERR)
    flushOnceReported();
  while (!Pending.empty() && state() == IBV_QPS_RTS) {
    // Out of the queue while it is carried out: an error flushes the queue.
    Request R = std::move(Pending.front());
    Pending.pop_front();
    if (!begin(R)) {
      Pending.push_front(std::move(R));
      std::chrono::nanoseconds Early = Pending.front().ReadyAt - Clock::now();
      return Early > 0ns ? Early : 200us;
    }
  }
  IsDelayed = false;
  if (Pending.empty() && !TakenIsLeft)
    return std::nullopt;
  return 1ms;
}

void QueuePair::complete(const Request &R, ibv_wc_status Status) {
  if (!R.Signaled && Status == IBV_WC_SUCCESS)
    return;
  SharedCompletion C = {};
  C.Wc.wr_id = R.WrId;
  C.Wc.status = Status;
  C.Wc.opcode = completionOpcode(R.Opcode);
  C.Wc.byte_len = static_cast<uint32_t>(R.Length);
  C.Wc.qp_num = number();
  C.Wc.vendor_err = Status == IBV_WC_SUCCESS ? 0 : static_cast<uint32_t>(Status);
  C.Retired = R.Position;
  C.IsSend = true;
  if (putCompletion(Home.own(), SendCompletions->Index, C) || state() == IBV_QPS_ERR)
    return;
  fail(); // the queue was overrun: what has completed cannot be told any more
  putAsyncEvent(Home.own(), IBV_EVENT_QP_FATAL, Shared->Events);
}

/// Who shares its receives is told when none of them will complete for this queue pair any more.
static void announceLast(Peer &Owner, const SharedQueuePair &Qp) {
  if (Qp.UsesShared && Qp.Type != IBV_QPT_XRC_SEND)
    putAsyncEvent(Owner, IBV_EVENT_QP_LAST_WQE_REACHED, Qp.Events);
}

void QueuePair::announceFirst(SharedQueuePair &There) {
  if (!There.IsEstablished.exchange(true))
    putAsyncEvent(*Target, IBV_EVENT_COMM_EST, There.Events);
}

bool QueuePair::isDrained() const { return !Weak || Weak->quiet(); }

void QueuePair::announceDrained() {
  if (state() == IBV_QPS_SQD && isDrained() && std::exchange(AnnouncesDrained, false))
    putAsyncEvent(Home.own(), IBV_EVENT_SQ_DRAINED, Shared->Events);
}

void QueuePair::fail() {
  bool Already = Shared->State.exchange(IBV_QPS_ERR) == IBV_QPS_ERR;
  Base.qp_base.state = IBV_QPS_ERR;
  LastIsDue |= !Already;
  flush();
}

void QueuePair::failSending() {
  uint32_t Sends = IBV_QPS_RTS; // it may have failed meanwhile, by an overrun queue
  if (isReliable() || !Shared->State.compare_exchange_strong(Sends, IBV_QPS_SQE))
    return fail();
  Base.qp_base.state = IBV_QPS_SQE;
  flush();
}

bool QueuePair::flushOnceReported() {
  if (Weak && WeakScheduler::get()->failureDue(*this))
    return false;
  flush();
  return true;
}

void QueuePair::flush() {
  if (Weak)
    WeakScheduler::get()->flush(*this);
  for (Request &R : Pending)
    complete(R, IBV_WC_WR_FLUSH_ERR);
  Pending.clear();
  if (state() == IBV_QPS_SQE)
    return;
  TakenIsLeft = Target && !Target->isSelf() && !flushTaken(Home.own(), *Shared, *Target);
  if (TakenIsLeft)
    Service::get().attend(&Waiting);
  if (TakenIsLeft && !Target->alive())
    return; // those come first
  flushReceives(Home.own(), *Shared);
  if (std::exchange(LastIsDue, false))
    announceLast(Home.own(), *Shared);
}

void failRemote(Peer &Owner, SharedQueuePair &Qp, ibv_event_type Event) {
  uint32_t Was = Qp.State.exchange(IBV_QPS_ERR);
  if (Was == IBV_QPS_ERR)
    return;
  flushReceives(Owner, Qp);
  putAsyncEvent(Owner, Event, Qp.Events);
  announceLast(Owner, Qp);
}

Result QueuePair::refuse(SharedQueuePair &There, ibv_wc_status Status) {
  if (!isReliable())
    return {}; // dropped
  failRemote(*Target, There,
             Status == IBV_WC_REM_INV_REQ_ERR ? IBV_EVENT_QP_REQ_ERR : IBV_EVENT_QP_ACCESS_ERR);
  return {Outcome::Failed, Status};
}

} // namespace rdma::device

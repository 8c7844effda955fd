// The calls around queue pairs: creation, the state machine, posting.
#include "runtime/device/Context.h"
#include "runtime/device/Datagram.h"
#include "runtime/device/EventSources.h"
#include "runtime/device/Gid.h"
#include "runtime/device/Inbound.h"
#include "runtime/device/Multicast.h"
#include "runtime/device/Presence.h"
#include "runtime/device/Receive.h"
#include "runtime/device/Transitions.h"
#include "runtime/device/Underway.h"
#include "runtime/device/Weak.h"
#include "runtime/device/WeakPiece.h"

#include <bit>

using namespace rdma::device;

namespace rdma::device {

namespace {

void keepAttributes(ibv_qp_attr &Kept, const ibv_qp_attr &New, int Mask) {
  auto keep = [&](int Bit, auto Field) {
    if (Mask & Bit)
      Kept.*Field = New.*Field;
  };
  keep(IBV_QP_ACCESS_FLAGS, &ibv_qp_attr::qp_access_flags);
  keep(IBV_QP_PKEY_INDEX, &ibv_qp_attr::pkey_index);
  keep(IBV_QP_PORT, &ibv_qp_attr::port_num);
  keep(IBV_QP_AV, &ibv_qp_attr::ah_attr);
  keep(IBV_QP_PATH_MTU, &ibv_qp_attr::path_mtu);
  keep(IBV_QP_TIMEOUT, &ibv_qp_attr::timeout);
  keep(IBV_QP_RETRY_CNT, &ibv_qp_attr::retry_cnt);
  keep(IBV_QP_RNR_RETRY, &ibv_qp_attr::rnr_retry);
  keep(IBV_QP_RQ_PSN, &ibv_qp_attr::rq_psn);
  keep(IBV_QP_SQ_PSN, &ibv_qp_attr::sq_psn);
  keep(IBV_QP_MAX_QP_RD_ATOMIC, &ibv_qp_attr::max_rd_atomic);
  keep(IBV_QP_MAX_DEST_RD_ATOMIC, &ibv_qp_attr::max_dest_rd_atomic);
  keep(IBV_QP_MIN_RNR_TIMER, &ibv_qp_attr::min_rnr_timer);
  keep(IBV_QP_DEST_QPN, &ibv_qp_attr::dest_qp_num);
  keep(IBV_QP_QKEY, &ibv_qp_attr::qkey);
  constexpr uint32_t PsnBits = 0xffffff;
  Kept.rq_psn &= PsnBits;
  Kept.sq_psn &= PsnBits;
}

void publishAttributes(QueuePair &Q) {
  // Who keeps nothing for the answers of READs and atomics answers none.
  bool Answers = !Q.isReliable() || Q.Attr.max_dest_rd_atomic;
  Q.Shared->Access = Answers ? Q.Attr.qp_access_flags : Q.Attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE;
  Q.Shared->PeerNumber = Q.Attr.dest_qp_num;
  Q.Shared->ExpectedPsn = Q.isReliable() ? Q.Attr.rq_psn : 0;
  Q.FirstPsn = Q.isReliable() ? Q.Attr.sq_psn : 0;
  Q.Shared->Mtu = Q.Attr.path_mtu;
  Q.Shared->Qkey = Q.Attr.qkey;
  Q.Shared->RnrTimer = Q.Attr.min_rnr_timer;
  Q.Shared->PeerLid = lidOf(Q.Attr.ah_attr);
}

void enter(QueuePair &Q, ibv_qp_state To) {
  if (To == IBV_QPS_ERR) {
    if (WeakScheduler *Scheduler = WeakScheduler::get())
      Scheduler->beforeTheEnd(Q);
    return Q.fail();
  }
  if (To == IBV_QPS_RESET) {
    Q.reset();
    return;
  }
  if (To == IBV_QPS_RTR && !Q.isDatagram()) {
    Q.Target = Q.Home.peer(Q.Shared->PeerLid);
    Q.Shared->IsEstablished = false;
  }
  Q.Shared->State.store(To, std::memory_order_release);
  Q.Base.qp_base.state = To;
  if (To == IBV_QPS_SQD)
    Q.announceDrained();
  if (To == IBV_QPS_RTS && !Q.Pending.empty())
    Service::get().attend(&Q.Waiting);
}

bool isPath(const ibv_ah_attr &Path) {
  return Path.port_num == 1 && (Path.is_global || !isEthernet()) &&
         (!Path.is_global || Path.grh.sgid_index < gidCount());
}

bool areValid(const ibv_qp_attr &A, int Mask) {
  constexpr unsigned MostOfFiveBits = 31, MostOfThreeBits = 7;
  auto exceeds = [&](int Bit, auto Field, unsigned Most) { return Mask & Bit && A.*Field > Most; };
  return !(Mask & IBV_QP_PORT && A.port_num != 1) &&
         !exceeds(IBV_QP_PKEY_INDEX, &ibv_qp_attr::pkey_index, 0) &&
         !exceeds(IBV_QP_PATH_MTU, &ibv_qp_attr::path_mtu, IBV_MTU_4096) &&
         !(Mask & IBV_QP_PATH_MTU && A.path_mtu < IBV_MTU_256) &&
         !exceeds(IBV_QP_TIMEOUT, &ibv_qp_attr::timeout, MostOfFiveBits) &&
         !exceeds(IBV_QP_MIN_RNR_TIMER, &ibv_qp_attr::min_rnr_timer, MostOfFiveBits) &&
         !exceeds(IBV_QP_RETRY_CNT, &ibv_qp_attr::retry_cnt, MostOfThreeBits) &&
         !exceeds(IBV_QP_RNR_RETRY, &ibv_qp_attr::rnr_retry, MostOfThreeBits) &&
         !exceeds(IBV_QP_MAX_QP_RD_ATOMIC, &ibv_qp_attr::max_rd_atomic, MaxReadsAtOnce) &&
         !exceeds(IBV_QP_MAX_DEST_RD_ATOMIC, &ibv_qp_attr::max_dest_rd_atomic, MaxReadsAtOnce) &&
         !(Mask & IBV_QP_AV && !isPath(A.ah_attr));
}

bool validCapacity(const ibv_qp_cap &Cap) {
  return Cap.max_send_wr <= MaxRequests && Cap.max_recv_wr <= MaxRequests && Cap.max_send_sge <= MaxSge &&
         Cap.max_recv_sge <= MaxSge && Cap.max_inline_data <= MaxInline;
}

/// Queues of another context mean nothing in this one, also when both are of one device.
bool belongsTo(ibv_context *Public, const ibv_pd *Pd, const ibv_qp_init_attr &Init) {
  auto isOf = [=](const auto *Object) { return !Object || Object->context == Public; };
  return isOf(Pd) && isOf(Init.send_cq) && isOf(Init.recv_cq) && isOf(Init.srq);
}

/// With XRC one queue pair sends and another one receives, for the receive queues of a domain.
bool isXrc(ibv_qp_type Type) { return Type == IBV_QPT_XRC_SEND || Type == IBV_QPT_XRC_RECV; }

bool isKnown(ibv_qp_type Type) {
  return Type == IBV_QPT_RC || Type == IBV_QPT_UC || Type == IBV_QPT_UD || isXrc(Type);
}

/// Forgets what is not looked at. Whether the rest can be.
bool isComplete(ibv_qp_init_attr &Init) {
  if (isXrc(Init.qp_type)) {
    Init.recv_cq = nullptr;
    Init.srq = nullptr;
    Init.cap.max_recv_wr = Init.cap.max_recv_sge = 0;
  }
  if (Init.qp_type == IBV_QPT_XRC_RECV) {
    Init.send_cq = nullptr;
    Init.cap.max_send_wr = Init.cap.max_send_sge = 0;
  }
  return (Init.send_cq || Init.qp_type == IBV_QPT_XRC_RECV) && (Init.recv_cq || isXrc(Init.qp_type)) &&
         validCapacity(Init.cap);
}

/// What a queue pair uses has one user more or less.
void countUsers(const QueuePair &Q, ibv_pd *Pd, int More) {
  auto count = [=](auto *Used) {
    if (Used)
      Used->Users += static_cast<uint32_t>(More);
  };
  count(Q.SendCompletions);
  count(Q.ReceiveCompletions);
  count(Q.Xrc);
  if (Pd)
    count(Domain::of(Pd));
  if (Q.Init.srq)
    count(SharedReceives::of(Q.Init.srq));
}

void fillPublic(ibv_qp &B, const ibv_qp_init_attr &Init) {
  B.qp_context = Init.qp_context;
  B.send_cq = Init.send_cq;
  B.recv_cq = Init.recv_cq;
  B.srq = Init.srq;
  B.state = IBV_QPS_RESET;
  B.qp_type = Init.qp_type;
  pthread_mutex_init(&B.mutex, nullptr);
  pthread_cond_init(&B.cond, nullptr);
}

void growTo(std::atomic<uint32_t> &End, uint32_t At) {
  for (uint32_t Was = End; Was < At && !End.compare_exchange_weak(Was, At);) {
  }
}

} // namespace

int postSend(ibv_qp *Qp, ibv_send_wr *List, ibv_send_wr **Bad) {
  if (check::Enabled) [[unlikely]]
    check::passed(check::PostCall);
  int Error = QueuePair::of(Qp)->post(List, Bad);
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->call();
  return Error;
}

/// Before they are posted: a message may come at once.
static void tellOfReceives(QueuePair &Q, const ibv_recv_wr *List) {
  if (!Q.CheckedReceives)
    Q.CheckedReceives = std::make_unique<check::Tasks>(Q.Init.cap.max_recv_wr);
  uint32_t At = Q.Home.segment().ReceiveQueues[Q.Shared->ReceiveQueue].Tail - Q.FirstReceive;
  for (; List; List = List->next)
    check::receivePosted(*Q.CheckedReceives, At++, *List);
}

int postReceive(ibv_qp *Qp, ibv_recv_wr *List, ibv_recv_wr **Bad) {
  QueuePair *Q = QueuePair::of(Qp);
  ibv_qp_state State = Q->state();
  if (State == IBV_QPS_RESET || Q->Shared->UsesShared) {
    *Bad = List;
    return EINVAL;
  }
  if (check::Enabled) [[unlikely]]
    tellOfReceives(*Q, List);
  int Error = postReceives(Q->Home, Q->Shared->ReceiveQueue, List, Bad, Q->Init.cap.max_recv_sge,
                           Q->Init.cap.max_recv_wr, {Q->ReceivesTaken, Q->FirstReceive});
  if (Q->state() == IBV_QPS_ERR)
    flushReceives(Q->Home.own(), *Q->Shared);
  return Error;
}

/// Where the connection ends, what is known of the other side's memory is left to the program.
static void forgetUnderway(QueuePair &Q) {
  check::forgetUnderway(*Q.Shared);
  if (SharedQueuePair *There = Q.Target ? Q.remote() : nullptr)
    check::forgetUnderway(*There);
}

void QueuePair::reset() {
  if (check::Enabled)
    forgetUnderway(*this);
  if (Weak)
    WeakScheduler::get()->drain(*this);
  Pending.clear();
  Target = nullptr;
  GoneAt = {};
  TakenIsLeft = LastIsDue = false;
  Shared->State = IBV_QPS_RESET;
  inbound::arriveAll(Home.own()); // nobody may watch its peer any more
  Epoch = 0;
  Presence::awaitEnd(Home.segment(), *Shared);
  awaitPosters(*Shared);
  forgetTaken(*Shared);
  Base.qp_base.state = IBV_QPS_RESET;
  if (check::Enabled)
    check::stopped(*this, !Shared->Number);
  Posted = 0;
  Retired = 0;
  Attr = {};
  if (!Shared->UsesShared) {
    SharedReceiveQueue &R = Home.segment().ReceiveQueues[Shared->ReceiveQueue];
    QueueGuard Guard(Home.segment(), R);
    R.Head = R.Tail.load();
    FirstReceive = R.Tail;
  }
  ReceivesTaken = 0;
  if (Checked)
    Checked->forgetMessages();
  if (SendCompletions)
    SendCompletions->forget(number());
  if (ReceiveCompletions && ReceiveCompletions != SendCompletions)
    ReceiveCompletions->forget(number());
}

ibv_qp *createQueuePair(ibv_context *Public, ibv_pd *Pd, XrcDomain *Xrc, ibv_qp_init_attr &Given) {
  ibv_qp_init_attr Used = Given, *Init = &Used;
  Node &N = nodeOf(Public);
  bool Receives = Init->qp_type == IBV_QPT_XRC_RECV;
  bool IsWhole =
      (Receives ? Xrc != nullptr : Pd != nullptr) && isComplete(*Init) && belongsTo(Public, Pd, *Init);
  if (!isKnown(Init->qp_type) || !IsWhole) {
    errno = isKnown(Init->qp_type) ? EINVAL : EOPNOTSUPP;
    return nullptr;
  }
  uint32_t Index = N.QueuePairs.take();
  if (Index == IndexPool::Full) {
    errno = ENOMEM;
    return nullptr;
  }
  auto *Q = new QueuePair(N);
  SharedQueuePair &S = N.segment().QueuePairs[Index];
  growTo(N.segment().QueuePairsEnd, Index + 1);
  Init->cap.max_inline_data = MaxInline;
  Given.cap = Init->cap;
  Q->Shared = &S;
  Q->Init = *Init;
  Q->Domain = Pd ? Domain::of(Pd)->Number : 0;
  Q->Xrc = Receives ? Xrc : nullptr;
  Q->SendCompletions = CompletionQueue::of(Init->send_cq);
  Q->ReceiveCompletions = CompletionQueue::of(Init->recv_cq);
  S.UsesShared = Init->srq != nullptr || isXrc(Init->qp_type);
  S.XrcDomain = Receives ? Xrc->Number : 0;
  if (S.UsesShared)
    S.ReceiveQueue = Init->srq ? SharedReceives::of(Init->srq)->Index : 0;
  else if (!createReceiveQueue(N, S.ReceiveQueue, Init->cap.max_recv_wr)) {
    N.QueuePairs.giveBack(Index);
    delete Q;
    errno = ENOMEM;
    return nullptr;
  }
  countUsers(*Q, Pd, 1);
  if (!S.Generation)
    S.Generation = N.firstGeneration();
  S.Generation = (S.Generation + 1) & 0x1ff;
  ibv_qp &B = *Q->qp();
  B.context = Public;
  B.pd = Pd;
  B.handle = Index;
  B.qp_num = S.Generation << QueuePairIndexBits | Index;
  fillPublic(B, *Init);
  S.State = IBV_QPS_RESET;
  S.Type = Init->qp_type;
  S.Domain = Q->Domain;
  S.ReceiveCompletions = Q->ReceiveCompletions ? Q->ReceiveCompletions->Index : 0;
  S.Events = eventsOf(Public, &B);
  N.LocalQueuePairs[Index] = Q;
  S.Number = B.qp_num;
  return &B;
}

} // namespace rdma::device

extern "C" {

ibv_qp *ibv_create_qp(ibv_pd *Pd, ibv_qp_init_attr *Init) {
  return createQueuePair(Pd->context, Pd, nullptr, *Init);
}

int ibv_modify_qp(ibv_qp *Qp, ibv_qp_attr *Attr, int Mask) {
  QueuePair &Q = *QueuePair::of(Qp);
  std::lock_guard Guard(Q.Lock);
  ibv_qp_state From = Q.state(), To = Mask & IBV_QP_STATE ? Attr->qp_state : From;
  if (Mask & IBV_QP_CUR_STATE && Attr->cur_qp_state != From)
    return EINVAL;
  if (!mayChange(Qp->qp_type, From, To, Mask) || !areValid(*Attr, Mask))
    return EINVAL;
  keepAttributes(Q.Attr, *Attr, Mask);
  if (From == IBV_QPS_RTS)
    Q.AnnouncesDrained = To == IBV_QPS_SQD && Mask & IBV_QP_EN_SQD_ASYNC_NOTIFY && Attr->en_sqd_async_notify;
  publishAttributes(Q);
  if (Mask & IBV_QP_STATE)
    enter(Q, To);
  return 0;
}

int ibv_query_qp(ibv_qp *Qp, ibv_qp_attr *Attr, int, ibv_qp_init_attr *Init) {
  QueuePair &Q = *QueuePair::of(Qp);
  std::lock_guard Guard(Q.Lock);
  *Attr = Q.Attr;
  Qp->state = Q.state();
  Attr->qp_state = Attr->cur_qp_state = Q.state();
  Attr->sq_draining = Q.state() == IBV_QPS_SQD && !Q.isDrained();
  Attr->cap = Q.Init.cap;
  *Init = Q.Init;
  return 0;
}

int ibv_destroy_qp(ibv_qp *Qp) {
  QueuePair *Q = QueuePair::of(Qp);
  Node &N = Q->Home;
  if (Q->Opened > 1) {
    --Q->Opened;
    return 0;
  }
  if (multicast::isAttached(*Q))
    return EBUSY;
  sources::retire(Q->Shared->Events.Source);
  Service::get().forget(&Q->Waiting);
  Q->Shared->Number = 0;
  {
    std::lock_guard Guard(Q->Lock);
    Q->reset();
  }
  N.forgetQueuePair(Qp->handle);
  if (!Q->Shared->UsesShared)
    destroyReceiveQueue(N, Q->Shared->ReceiveQueue);
  N.QueuePairs.giveBack(Qp->handle);
  countUsers(*Q, Qp->pd, -1);
  delete Q;
  return 0;
}
}

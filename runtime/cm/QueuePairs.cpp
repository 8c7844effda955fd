// Queue pairs and shared receive queues of identifiers, with the default device, domain and completion
// queues.
#include "runtime/cm/Id.h"
#include "runtime/device/Context.h"
#include "runtime/device/Gid.h"
#include "runtime/device/Weak.h"

#include <cerrno>
#include <cstring>
#include <endian.h>
#include <functional>

using namespace rdma::cm;

namespace rdma::cm {

namespace {

/// Of acknowledgements, 4.096 us times two to this power: a third of a second.
constexpr uint8_t DefaultAckTimeout = 16;

void initAttributes(const Id &I, ibv_qp_attr &A, int &Mask) {
  bool Connecting = I.Now != State::Idle && I.Now != State::Bound && I.Now != State::AddressResolved &&
                    I.Now != State::RouteResolved;
  A.pkey_index = 0;
  A.port_num = I.Base.port_num;
  A.qp_access_flags = 0;
  // Who connects says with the request how many reads each side answers.
  if (Connecting)
    A.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (Connecting && I.Own.ResponderResources)
    A.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  Mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
}

void receiveAttributes(const Id &I, ibv_qp_attr &A, int &Mask) {
  ibv_port_attr Port = {};
  ibv_query_port(I.Base.verbs, I.Base.port_num, &Port);
  A.ah_attr = {};
  device::setPath(A.ah_attr, I.Other.Lid);
  A.ah_attr.port_num = I.Base.port_num;
  A.path_mtu = Port.active_mtu;
  A.dest_qp_num = I.Other.QueuePair;
  A.rq_psn = I.Other.Psn;
  A.max_dest_rd_atomic = I.Own.ResponderResources;
  A.min_rnr_timer = 0;
  Mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

void sendAttributes(const Id &I, ibv_qp_attr &A, int &Mask) {
  bool Passive = I.Now == State::Requested || I.Now == State::Accepted;
  A.timeout = I.AckTimeout.value_or(DefaultAckTimeout);
  // Both sides use what the connecting one asked for, and each the other's patience with missing receives.
  A.retry_cnt = Passive ? I.Other.RetryCount : I.Own.RetryCount;
  A.rnr_retry = I.Other.RnrRetryCount;
  A.sq_psn = I.Own.Psn;
  A.max_rd_atomic = I.Own.InitiatorDepth;
  Mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
         IBV_QP_MAX_QP_RD_ATOMIC;
}

int enter(Id &I, ibv_qp_state To) {
  ibv_qp_attr A = {};
  int Mask = 0;
  A.qp_state = To;
  if (int Error = queuePairAttributes(I, A, Mask))
    return Error;
  return ibv_modify_qp(I.Base.qp, &A, Mask);
}

/// A completion queue with a channel; false with errno.
bool createQueue(rdma_cm_id *I, uint32_t Size, ibv_comp_channel *&Events, ibv_cq *&Queue) {
  Events = ibv_create_comp_channel(I->verbs);
  if (!Events)
    return false;
  Queue = ibv_create_cq(I->verbs, static_cast<int>(Size), I, Events, 0);
  return Queue != nullptr;
}

void destroyQueue(ibv_comp_channel *&Events, ibv_cq *&Queue) {
  if (Queue)
    ibv_destroy_cq(std::exchange(Queue, nullptr));
  if (Events)
    ibv_destroy_comp_channel(std::exchange(Events, nullptr));
}

void destroyQueues(rdma_cm_id *I) {
  destroyQueue(I->recv_cq_channel, I->recv_cq);
  destroyQueue(I->send_cq_channel, I->send_cq);
}

/// The queues that the program leaves to us.
bool addQueues(rdma_cm_id *I, ibv_qp_init_attr_ex &A) {
  bool NeedsSend = !A.send_cq && !I->send_cq && A.cap.max_send_wr;
  bool NeedsReceive = !A.recv_cq && !I->recv_cq && A.cap.max_recv_wr;
  if ((NeedsReceive && !createQueue(I, A.cap.max_recv_wr, I->recv_cq_channel, I->recv_cq)) ||
      (NeedsSend && !createQueue(I, A.cap.max_send_wr, I->send_cq_channel, I->send_cq)))
    return false;
  if (!A.send_cq)
    A.send_cq = I->send_cq;
  if (!A.recv_cq)
    A.recv_cq = I->recv_cq;
  return true;
}

ibv_qp *createQueuePair(rdma_cm_id *I, ibv_qp_init_attr_ex &A) {
  bool IsXrc = A.qp_type == IBV_QPT_XRC_SEND || A.qp_type == IBV_QPT_XRC_RECV;
  if (A.qp_type != I->qp_type || IsXrc) { // this connection manager knows of no such connections
    errno = IsXrc ? EOPNOTSUPP : EINVAL;
    return nullptr;
  }
  if (I->srq && !A.srq)
    A.srq = I->srq;
  ibv_qp *Qp = ibv_create_qp_ex(I->verbs, &A);
  if (!Qp)
    return nullptr;
  std::lock_guard Guard(theLock());
  I->qp = Qp;
  // Datagrams need no other side.
  int Error = Id::of(I)->isDatagram() ? toReady(*Id::of(I)) : enter(*Id::of(I), IBV_QPS_INIT);
  if (!Error)
    return Qp;
  ibv_destroy_qp(std::exchange(I->qp, nullptr));
  errno = Error;
  return nullptr;
}

} // namespace

static int datagramAttributes(const Id &I, ibv_qp_attr &A, int &Mask) {
  A.port_num = I.Base.port_num;
  A.qkey = DatagramKey;
  Mask = A.qp_state == IBV_QPS_INIT  ? IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY
         : A.qp_state == IBV_QPS_RTR ? IBV_QP_STATE
         : A.qp_state == IBV_QPS_RTS ? IBV_QP_STATE | IBV_QP_SQ_PSN
                                     : 0;
  return Mask ? 0 : EINVAL;
}

int queuePairAttributes(Id &I, ibv_qp_attr &A, int &Mask) {
  if (I.isDatagram())
    return I.Base.verbs ? datagramAttributes(I, A, Mask) : EINVAL;
  bool Connected = I.Now == State::Requested || I.Now == State::Accepted || I.Now == State::Answered ||
                   I.Now == State::Established || (I.Now == State::Connecting && I.Other.Lid);
  if (A.qp_state == IBV_QPS_INIT && I.Base.verbs)
    initAttributes(I, A, Mask);
  else if (A.qp_state == IBV_QPS_RTR && Connected)
    receiveAttributes(I, A, Mask);
  else if (A.qp_state == IBV_QPS_RTS && Connected)
    sendAttributes(I, A, Mask);
  else
    return EINVAL;
  return 0;
}

int toReady(Id &I) {
  if (!I.Base.qp)
    return 0;
  for (ibv_qp_state Next : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS})
    if (int Error = enter(I, Next))
      return Error;
  return 0;
}

void toError(Id &I) {
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_ERR;
  if (I.Base.qp)
    ibv_modify_qp(I.Base.qp, &A, IBV_QP_STATE);
}

namespace {

/// Calls Visit with the device's queue pair of the identifier, if there is one.
void withQueuePair(Id &I, const std::function<void(device::QueuePair &)> &Visit) {
  uint32_t Number = I.Base.qp ? I.Base.qp->qp_num : I.Own.QueuePair;
  device::nodeOf(I.Base.verbs).forEachQueuePair([&](device::QueuePair &Qp) {
    if (Qp.number() == Number)
      Visit(Qp);
  });
}

} // namespace

void takeAnswers(Id &I) {
  if (auto *Scheduler = device::WeakScheduler::get())
    withQueuePair(I, [=](device::QueuePair &Qp) { Scheduler->beforeTheEnd(Qp); });
}

bool hasCompletions(Id &I) {
  bool Found = false;
  withQueuePair(I, [&](device::QueuePair &Qp) {
    Found = Qp.SendCompletions->holds(Qp.number()) || Qp.ReceiveCompletions->holds(Qp.number());
  });
  return Found;
}

} // namespace rdma::cm

extern "C" {

int rdma_init_qp_attr(rdma_cm_id *Public, ibv_qp_attr *Attr, int *Mask) {
  std::lock_guard Guard(theLock());
  int Error = queuePairAttributes(*Id::of(Public), *Attr, *Mask);
  return Error ? failed(Error) : 0;
}

int rdma_create_qp_ex(rdma_cm_id *I, ibv_qp_init_attr_ex *Attr) {
  if (!(Attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !Attr->pd) {
    Attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
    Attr->pd = I->pd;
  }
  if (I->qp || !I->verbs || Attr->pd->context != I->verbs ||
      (I->recv_cq && Attr->recv_cq && I->recv_cq != Attr->recv_cq) ||
      (I->send_cq && Attr->send_cq && I->send_cq != Attr->send_cq))
    return failed(EINVAL);
  if (!addQueues(I, *Attr) || !createQueuePair(I, *Attr)) {
    int Error = errno;
    destroyQueues(I);
    return failed(Error);
  }
  I->pd = Attr->pd;
  return 0;
}

int rdma_create_qp(rdma_cm_id *I, ibv_pd *Pd, ibv_qp_init_attr *Attr) {
  ibv_qp_init_attr_ex Extended = {};
  memcpy(&Extended, Attr, sizeof *Attr);
  Extended.comp_mask = IBV_QP_INIT_ATTR_PD;
  Extended.pd = Pd;
  int Result = rdma_create_qp_ex(I, &Extended);
  memcpy(Attr, &Extended, sizeof *Attr);
  return Result;
}

void rdma_destroy_qp(rdma_cm_id *I) {
  ibv_qp *Qp;
  {
    std::lock_guard Guard(theLock());
    Qp = std::exchange(I->qp, nullptr);
  }
  if (Qp)
    ibv_destroy_qp(Qp);
  destroyQueues(I);
}

int rdma_create_srq_ex(rdma_cm_id *I, ibv_srq_init_attr_ex *Attr) {
  if (!(Attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || !I->verbs)
    return failed(EINVAL);
  if (Attr->srq_type != IBV_SRQT_BASIC)
    return failed(EOPNOTSUPP);
  if (!(Attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !Attr->pd) {
    Attr->pd = I->pd;
    Attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
  }
  I->srq = ibv_create_srq_ex(I->verbs, Attr);
  return I->srq ? 0 : -1;
}

int rdma_create_srq(rdma_cm_id *I, ibv_pd *Pd, ibv_srq_init_attr *Attr) {
  ibv_srq_init_attr_ex Extended = {};
  memcpy(&Extended, Attr, sizeof *Attr);
  Extended.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
  Extended.srq_type = IBV_SRQT_BASIC;
  Extended.pd = Pd;
  int Result = rdma_create_srq_ex(I, &Extended);
  memcpy(Attr, &Extended, sizeof *Attr);
  return Result;
}

void rdma_destroy_srq(rdma_cm_id *I) {
  ibv_destroy_srq(std::exchange(I->srq, nullptr));
  destroyQueues(I);
}
}

// The calls that make and end connections.
#include "runtime/cm/Id.h"

#include "runtime/device/Context.h"
#include "runtime/device/Settings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

using namespace rdma::cm;

namespace rdma::cm {

namespace {

constexpr int MaxBacklog = 1024;

/// What the program asks for, in range. 0 or an errno value.
int check(const Id &I, const rdma_conn_param *Wanted, uint8_t PrivateSpace) {
  if (!Wanted)
    return I.Base.qp || I.isDatagram() ? 0 : EINVAL;
  auto tooMany = [](uint8_t Count, uint8_t NoWish) { return Count != NoWish && Count > maxResources(); };
  size_t Private = I.ConnectData.size() + (Wanted->private_data ? Wanted->private_data_len : 0);
  if (tooMany(Wanted->responder_resources, RDMA_MAX_RESP_RES) ||
      tooMany(Wanted->initiator_depth, RDMA_MAX_INIT_DEPTH) || Private > PrivateSpace)
    return EINVAL;
  return 0;
}

void setPrivate(Message &To, const std::vector<uint8_t> &First, const void *Data, size_t Size) {
  std::fill(std::begin(To.Private), std::end(To.Private), 0);
  std::copy(First.begin(), First.end(), To.Private);
  if (Data)
    memcpy(To.Private + First.size(), Data, Size);
}

void describeSelf(Id &I, const rdma_conn_param *Wanted) {
  Message &M = I.Own;
  M.Lid = device::nodeOf(I.Base.verbs).lid();
  M.Gid = I.Base.route.addr.addr.ibaddr.sgid;
  M.QueuePair = I.Base.qp ? I.Base.qp->qp_num : Wanted ? Wanted->qp_num : 0;
  M.Qkey = I.isDatagram() ? DatagramKey : 0;
  M.SharedReceives = I.Base.qp ? I.Base.qp->srq != nullptr : Wanted->srq;
  M.FlowControl = Wanted ? Wanted->flow_control : 0;
  M.RetryCount = Wanted ? std::min<uint8_t>(Wanted->retry_count, 7) : 7;
  M.RnrRetryCount = Wanted ? std::min<uint8_t>(Wanted->rnr_retry_count, 7) : 7;
  M.EceVendor = I.LocalEce.vendor_id;
  M.EceOptions = I.LocalEce.options;
  setPrivate(M, I.ConnectData, Wanted ? Wanted->private_data : nullptr,
             Wanted ? Wanted->private_data_len : 0);
}

/// The numbers of reads under way that the program wants, within those of Most.
void setResources(Id &I, const rdma_conn_param *Wanted, uint8_t MostAnswered, uint8_t MostStarted) {
  bool Answers = Wanted && Wanted->responder_resources != RDMA_MAX_RESP_RES;
  bool Starts = Wanted && Wanted->initiator_depth != RDMA_MAX_INIT_DEPTH;
  I.Own.ResponderResources = Answers ? Wanted->responder_resources : MostAnswered;
  I.Own.InitiatorDepth = Starts ? Wanted->initiator_depth : MostStarted;
}

void waitForOther(Id &I) {
  I.Begun = Clock::now();
  I.GiveUp = I.Begun + std::chrono::nanoseconds(device::Settings::get().ConnectNanoseconds);
}

int listenOn(Id &I, int Backlog) {
  if (I.Now == State::Idle) {
    sockaddr_in Anywhere = {.sin_family = AF_INET, .sin_port = 0, .sin_addr = {INADDR_ANY}, .sin_zero = {}};
    if (rdma_bind_addr(&I.Base, reinterpret_cast<sockaddr *>(&Anywhere)))
      return -1;
  }
  std::lock_guard Guard(theLock());
  if (I.Now != State::Bound)
    return failed(EINVAL);
  if (listen(I.Socket, Backlog > 0 ? std::min(Backlog, MaxBacklog) : MaxBacklog))
    return -1;
  I.Now = State::Listening;
  I.listenToSocket();
  return 0;
}

int reject(rdma_cm_id *Public, const void *Data, uint8_t Size, Reason Why) {
  Id &I = *Id::of(Public);
  std::lock_guard Guard(theLock());
  if ((I.Now != State::Requested && I.Now != State::Answered) || (Data && Size > RejectPrivate))
    return failed(EINVAL);
  setPrivate(I.Own, {}, Data, Size);
  I.send(MessageKind::Reject, Why);
  I.Now = State::Over;
  I.closeSocket();
  return 0;
}

} // namespace

} // namespace rdma::cm

extern "C" {

int rdma_listen(rdma_cm_id *Public, int Backlog) { return listenOn(*Id::of(Public), Backlog); }

int rdma_connect(rdma_cm_id *Public, rdma_conn_param *Wanted) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  if (I.Now != State::RouteResolved)
    return failed(EINVAL);
  if (int Error = check(I, Wanted, I.requestPrivate()))
    return failed(Error);
  auto Most = static_cast<uint8_t>(maxResources());
  setResources(I, Wanted, Most, Most);
  describeSelf(I, Wanted);
  memcpy(&I.Own.From, I.source(), lengthOf(I.source()));
  memcpy(&I.Own.To, I.target(), lengthOf(I.target()));
  I.Now = State::Connecting;
  waitForOther(I);
  I.tryToConnect();
  return complete(I, Guard);
}

int rdma_accept(rdma_cm_id *Public, rdma_conn_param *Wanted) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  if (int Error = I.Now == State::Requested ? check(I, Wanted, I.responsePrivate()) : EINVAL)
    return failed(Error);
  setResources(I, Wanted, I.Own.ResponderResources, I.Own.InitiatorDepth);
  describeSelf(I, Wanted);
  if (I.isDatagram()) { // the answer is all: nothing stays between the two
    I.send(MessageKind::Response);
    I.Now = State::Established;
    I.closeSocket();
    return 0;
  }
  if (int Error = toReady(I))
    return failed(Error);
  I.Now = State::Accepted;
  waitForOther(I);
  I.setAlarm(I.GiveUp);
  // When the other side is gone the socket says so.
  I.send(MessageKind::Response);
  return complete(I, Guard);
}

int rdma_establish(rdma_cm_id *Public) {
  Id &I = *Id::of(Public);
  std::lock_guard Guard(theLock());
  if (Public->qp || I.Now != State::Answered)
    return failed(EINVAL);
  I.send(MessageKind::Ready);
  I.Now = State::Established;
  return 0;
}

int rdma_reject(rdma_cm_id *Public, const void *Data, uint8_t Size) {
  return reject(Public, Data, Size, Reason::Consumer);
}

int rdma_reject_ece(rdma_cm_id *Public, const void *Data, uint8_t Size) {
  return reject(Public, Data, Size, Reason::VendorOption);
}

int rdma_notify(rdma_cm_id *Public, ibv_event_type Type) {
  Id &I = *Id::of(Public);
  std::lock_guard Guard(theLock());
  if (Type != IBV_EVENT_COMM_EST || I.Now == State::Idle)
    return failed(EINVAL);
  if (I.Now == State::Accepted) {
    I.setAlarm(std::nullopt);
    I.Now = State::Established;
    I.tell(RDMA_CM_EVENT_ESTABLISHED);
  }
  return 0;
}

int rdma_disconnect(rdma_cm_id *Public) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  if (I.isDatagram())
    return failed(EINVAL);
  toError(I);
  switch (I.Now) {
  case State::Accepted: // the other side may be ready already
  case State::Answered:
  case State::Established:
  case State::Ending:
    I.setAlarm(std::nullopt);
    I.disconnected();
    break;
  case State::Over:
    // The other side came first; its event may not have been fetched.
    if (I.Events && std::none_of(I.Events->Waiting.begin(), I.Events->Waiting.end(),
                                 [&](const Event *E) { return E->Counted == &I; }))
      return 0;
    break;
  default:
    return failed(EINVAL);
  }
  return complete(I, Guard);
}
}

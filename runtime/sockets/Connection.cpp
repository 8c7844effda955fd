// The life of a stream: connections, their end.
#include "runtime/sockets/Stream.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sys/socket.h>
#include <utility>

namespace rdma::sockets {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How long closing waits for a reader that does not read.
constexpr auto CloseLimit = 10s;

int errorOf(const rdma_cm_event &E) {
  switch (E.event) {
  case RDMA_CM_EVENT_REJECTED:
    return ECONNREFUSED;
  case RDMA_CM_EVENT_ADDR_ERROR:
    return ENETUNREACH;
  case RDMA_CM_EVENT_UNREACHABLE:
    return ETIMEDOUT;
  default:
    return ECONNABORTED;
  }
}

} // namespace

std::shared_ptr<Stream> Stream::begin(rdma_event_channel *Events) {
  std::shared_ptr<Stream> S(new Stream);
  S->Events = Events;
  doNotBlock(Events->fd);
  enlist(Events->fd, S);
  return S;
}

int Stream::create() {
  rdma_event_channel *Events = rdma_create_event_channel();
  if (!Events)
    return -1;
  std::shared_ptr<Stream> S = begin(Events);
  if (rdma_create_id(Events, &S->Id, nullptr, RDMA_PS_TCP)) {
    int Error = errno;
    S->close();
    return failed(Error);
  }
  return Events->fd;
}

Stream::~Stream() {
  for (rdma_cm_id *Each : Requests)
    rdma_destroy_id(Each);
  if (Id && Id->qp)
    rdma_destroy_qp(Id);
  if (Queue)
    ibv_destroy_cq(Queue);
  if (Completions)
    ibv_destroy_comp_channel(Completions);
  if (Region)
    ibv_dereg_mr(Region);
  for (auto &[At, M] : Mapped)
    ibv_dereg_mr(M.first);
  free(Memory);
  if (Id)
    rdma_destroy_id(Id);
  if (Events)
    rdma_destroy_event_channel(Events);
}

int Stream::bind(const sockaddr *At) {
  std::lock_guard Held(Lock);
  if (rdma_bind_addr(Id, const_cast<sockaddr *>(At)))
    return -1;
  Now = State::Bound;
  return 0;
}

int Stream::listen(int Backlog) {
  std::lock_guard Held(Lock);
  if (Now == State::Listening)
    return 0;
  if (rdma_listen(Id, Backlog))
    return -1;
  Now = State::Listening;
  return 0;
}

/// Queue pair, completion queue and receives of the connection.
bool Stream::setUp() {
  Completions = ibv_create_comp_channel(Id->verbs);
  Queue = Completions ? ibv_create_cq(Id->verbs, 4 * Slots, nullptr, Completions, 0) : nullptr;
  if (!Queue)
    return false;
  doNotBlock(Completions->fd);
  ibv_qp_init_attr Init = {};
  Init.qp_type = IBV_QPT_RC;
  Init.send_cq = Init.recv_cq = Queue;
  Init.cap.max_send_wr = Init.cap.max_recv_wr = 2 * Slots;
  Init.cap.max_send_sge = Init.cap.max_recv_sge = 1;
  Memory = static_cast<char *>(aligned_alloc(4096, 2 * size_t(Slots) * SlotSize));
  if (!Memory || rdma_create_qp(Id, Id->pd, &Init))
    return false;
  Region = ibv_reg_mr(Id->pd, Memory, 2 * size_t(Slots) * SlotSize, static_cast<int>(IBV_ACCESS_LOCAL_WRITE));
  if (!Region)
    return false;
  for (uint32_t I = 0; I < Slots; ++I) {
    FreeSlots.push_back(I);
    postReceive(I);
  }
  return true;
}

static rdma_conn_param parameters() {
  rdma_conn_param P = {};
  P.responder_resources = P.initiator_depth = 1;
  P.retry_count = P.rnr_retry_count = 7;
  return P;
}

int Stream::accept(sockaddr *From, socklen_t *Size) {
  Guard Held(Lock);
  if (Now != State::Listening)
    return failed(EINVAL);
  for (;;) {
    if (!wait(Held, 0, [&] { return !Requests.empty(); }))
      return -1;
    rdma_cm_id *New = Requests.front();
    Requests.pop_front();
    rdma_event_channel *Own = rdma_create_event_channel();
    if (!Own)
      return -1;
    std::shared_ptr<Stream> S = begin(Own);
    S->Id = New;
    rdma_conn_param P = parameters();
    if (rdma_migrate_id(New, Own) || !S->setUp() || rdma_accept(New, &P)) {
      S->close(); // the other side is gone already, or there is no room for it
      continue;
    }
    S->Now = State::Connected;
    if (From)
      S->address(true, From, Size);
    return Own->fd;
  }
}

/// Both answers come at once.
int Stream::resolve(const sockaddr *To) {
  if (rdma_resolve_addr(Id, nullptr, const_cast<sockaddr *>(To), 2000))
    return -1;
  for (rdma_cm_event_type Wanted : {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ROUTE_RESOLVED}) {
    rdma_cm_event *E = nullptr;
    if (rdma_get_cm_event(Events, &E))
      return -1;
    int Trouble = E->event == Wanted ? 0 : errorOf(*E);
    rdma_ack_cm_event(E);
    if (Trouble)
      return failed(Trouble);
    if (Wanted == RDMA_CM_EVENT_ADDR_RESOLVED && rdma_resolve_route(Id, 2000))
      return -1;
  }
  return 0;
}

int Stream::connect(const sockaddr *To) {
  Guard Held(Lock);
  if (Now == State::Connected)
    return failed(EISCONN);
  if (Now == State::Idle || Now == State::Bound) {
    rdma_conn_param P = parameters();
    if (resolve(To) || !setUp() || rdma_connect(Id, &P))
      return -1;
    Now = State::Connecting;
    progress();
    if (Now == State::Connecting && !IsBlocking)
      return failed(EINPROGRESS);
  } else if (Now == State::Connecting && !IsBlocking) {
    progress();
    if (Now == State::Connecting)
      return failed(EALREADY);
  }
  if (!wait(Held, 0, [&] { return Now != State::Connecting; }))
    return -1;
  if (Now == State::Connected)
    return 0;
  return failed(std::exchange(Error, 0));
}

void Stream::onEvent(const rdma_cm_event &E) {
  switch (E.event) {
  case RDMA_CM_EVENT_CONNECT_REQUEST:
    Requests.push_back(E.id);
    break;
  case RDMA_CM_EVENT_ESTABLISHED:
    Now = State::Connected;
    break;
  case RDMA_CM_EVENT_DISCONNECTED:
    PeerEnded = IsBroken = true;
    break;
  case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    break;
  default:
    if (Now != State::Connecting)
      IsBroken = true;
    Error = errorOf(E);
    Now = State::Failed;
  }
}

void Stream::endWriting(Guard &Held) {
  if (Now != State::Connected || std::exchange(Ended, true))
    return;
  sendFrame(Held, Frame::End, nullptr, 0);
}

/// Until everything has arrived; what comes meanwhile is not wanted any more when nobody reads.
void Stream::drain(Guard &Held) {
  auto Limit = Clock::now() + CloseLimit;
  for (;;) {
    progress();
    while (NoMoreReading && !Incoming.empty()) {
      postReceive(Incoming.front().Slot);
      Incoming.pop_front();
    }
    if (FreeSlots.size() == Slots || IsBroken || Now != State::Connected || Clock::now() > Limit)
      return;
    pause(Held);
  }
}

int Stream::shutdown(int How) {
  Guard Held(Lock);
  if (Now != State::Connected)
    return Now == State::Over || Now == State::Failed ? 0 : failed(ENOTCONN);
  if (How == SHUT_RD || How == SHUT_RDWR)
    NoMoreReading = true;
  if (How == SHUT_WR || How == SHUT_RDWR)
    endWriting(Held);
  drain(Held);
  return 0;
}

void Stream::finish(Guard &Held) {
  if (Now != State::Connected)
    return;
  NoMoreReading = true;
  endWriting(Held);
  drain(Held);
  rdma_disconnect(Id);
  Now = State::Over;
}

int Stream::setOneFamily(int Value) {
  return rdma_set_option(Id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &Value, sizeof Value);
}

int Stream::address(bool Peer, sockaddr *To, socklen_t *Size) {
  std::lock_guard Held(Lock);
  if (Peer && Now != State::Connected)
    return failed(ENOTCONN);
  tell(Peer ? rdma_get_peer_addr(Id) : rdma_get_local_addr(Id), To, Size);
  return 0;
}

} // namespace rdma::sockets

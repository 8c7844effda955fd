// What happens to an identifier when its socket or its alarm has something to say.
#include "runtime/cm/Id.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace rdma::cm {

using namespace std::chrono_literals;

namespace {

/// Until a request is sent again to a listener whose backlog is full, and until such a listener looks again.
constexpr auto RetryPause = 5ms;
/// As long a request looks for a listener. Programs (perftest) close one and open the next while the other
/// side already connects again; on a network it would still be on its way.
constexpr auto ListenerPatience = 100ms;
/// From the end of a connection until its queue pair number could be used again.
constexpr auto TimeWait = 200ms;
/// How long the end of a connection waits for completions to be taken, and how often it looks.
constexpr auto EndPatience = 100ms, EndPause = 1ms;

void setHost(sockaddr *To, const sockaddr_storage &From) { memcpy(To, &From, sizeof From); }

} // namespace

bool Id::send(MessageKind Kind, Reason Why) {
  Own.Kind = Kind;
  Own.Why = Why;
  return ::send(Socket, &Own, sizeof Own, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof Own;
}

void Id::onSocket() {
  if (Now == State::Listening)
    return acceptOne();
  Message M;
  ssize_t Size = recv(Socket, &M, sizeof M, MSG_DONTWAIT);
  // That the other side closed with something unread comes before what it sent.
  if (Size < 0 && errno == ECONNRESET)
    Size = recv(Socket, &M, sizeof M, MSG_DONTWAIT);
  if (Size < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (Size == sizeof M && M.Magic == MessageMagic)
    onMessage(M);
  else
    lost();
}

void Id::acceptOne() {
  int Accepted = accept4(Socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (Accepted < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
    return;
  if (Accepted < 0) {
    // No room for another file: whoever waits for us keeps waiting.
    leaveSocket();
    return setAlarm(Clock::now() + RetryPause);
  }
  if (!sameUser(Accepted)) {
    close(Accepted);
    return;
  }
  Id *New = create(*Events, Base.ps, Base.qp_type, Base.context);
  New->Listener = this;
  New->Now = State::Arriving;
  New->Socket = Accepted;
  New->listenToSocket();
}

void Id::onMessage(const Message &M) {
  switch (M.Kind) {
  case MessageKind::Request:
    if (Now == State::Arriving)
      return onRequest(M);
    break;
  case MessageKind::Response:
    if (Now == State::Connecting)
      return onResponse(M);
    break;
  case MessageKind::Ready:
    if (Now == State::Accepted) {
      setAlarm(std::nullopt);
      Now = State::Established;
      tell(RDMA_CM_EVENT_ESTABLISHED);
    }
    return;
  case MessageKind::Reject:
    if (Now != State::Established && Now != State::Over)
      return refused(M.Why, &M);
    break;
  }
  lost();
}

void Id::onRequest(const Message &M) {
  Other = M;
  Now = State::Requested;
  setHost(source(), M.To);
  setHost(target(), M.From);
  if (attachDevice(*this))
    return destroy();
  Base.route.addr.addr.ibaddr.dgid = M.Gid;
  Own.ResponderResources = M.InitiatorDepth;
  Own.InitiatorDepth = M.ResponderResources;
  Event *E = tell(RDMA_CM_EVENT_CONNECT_REQUEST, 0, &M, requestPrivate());
  E->Base.listen_id = &Listener->Base;
  E->Counted = Listener;
}

void Id::onResponse(const Message &M) {
  setAlarm(std::nullopt);
  Other = M;
  if (isDatagram()) {
    closeSocket();
    Now = State::Established;
    tell(RDMA_CM_EVENT_ESTABLISHED, 0, &M, responsePrivate());
    return;
  }
  Base.route.addr.addr.ibaddr.dgid = M.Gid;
  // The other side may have granted less.
  Own.ResponderResources = M.InitiatorDepth;
  Own.InitiatorDepth = M.ResponderResources;
  if (!Base.qp) {
    Now = State::Answered;
    tell(RDMA_CM_EVENT_CONNECT_RESPONSE, 0, &M, ResponsePrivate);
    return;
  }
  if (int Error = toReady(*this)) {
    toError(*this);
    Now = State::Over;
    send(MessageKind::Reject, Reason::Consumer);
    closeSocket();
    tell(RDMA_CM_EVENT_CONNECT_ERROR, -Error);
    return;
  }
  send(MessageKind::Ready);
  Now = State::Established;
  tell(RDMA_CM_EVENT_ESTABLISHED, 0, &M, ResponsePrivate);
}

void Id::lost() {
  switch (Now) {
  case State::Arriving:
    return destroy();
  case State::Requested: // who asked for a datagram service is not missed
    return isDatagram() ? closeSocket() : refused(Reason::Timeout);
  case State::Connecting:
  case State::Answered:
  case State::Accepted:
    return refused(Reason::Consumer);
  case State::Established:
    return ending();
  default:
    return closeSocket();
  }
}

void Id::refused(Reason Why, const Message *From) {
  Now = State::Over;
  setAlarm(std::nullopt);
  closeSocket();
  if (isDatagram()) {
    constexpr int Unsupported = 1, Rejected = 2; // of the service, in the words of the specification
    tell(RDMA_CM_EVENT_UNREACHABLE, Why == Reason::NoListener ? Unsupported : Rejected);
    return;
  }
  toError(*this);
  const Message Nothing;
  tell(RDMA_CM_EVENT_REJECTED, static_cast<int>(Why), From ? From : &Nothing, RejectPrivate);
}

void Id::ending() {
  if (Now == State::Established) {
    closeSocket();
    takeAnswers(*this);
    Now = State::Ending;
    GiveUp = Clock::now() + EndPatience;
  }
  if (hasCompletions(*this) && Clock::now() < GiveUp)
    setAlarm(Clock::now() + EndPause);
  else
    disconnected();
}

void Id::disconnected() {
  Now = State::Over;
  closeSocket();
  tell(RDMA_CM_EVENT_DISCONNECTED);
  setAlarm(Clock::now() + TimeWait);
}

void Id::onAlarm() {
  if (Now == State::Listening)
    return listenToSocket();
  if (Now == State::Ending)
    return ending();
  if (Now == State::Over) {
    tell(RDMA_CM_EVENT_TIMEWAIT_EXIT);
    return;
  }
  if (Clock::now() < GiveUp)
    return tryToConnect();
  Now = State::Over;
  closeSocket();
  if (!isDatagram())
    toError(*this);
  tell(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
}

void Id::tryToConnect() {
  int Error = connectTo(Socket, space(), target());
  bool MayComeYet =
      Error == ECONNREFUSED && Clock::now() + RetryPause < std::min(Begun + ListenerPatience, GiveUp);
  if (Error == EAGAIN || MayComeYet)
    return setAlarm(std::min(GiveUp, Clock::now() + RetryPause));
  if (!Error && !sameUser(Socket))
    Error = ECONNREFUSED;
  if (Error || !send(MessageKind::Request))
    return refused(Reason::NoListener);
  listenToSocket();
  setAlarm(GiveUp);
}

} // namespace rdma::cm

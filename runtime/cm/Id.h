// Identifiers, their event channels and events: what is behind the public structures of rdma/rdma_cma.h.
//
// The descriptor of a channel is an epoll set of the sockets of its identifiers and of one timer, which is
// also ready while events wait. So the program can poll it, and everything happens in the program's own
// calls: what the sockets have to say is read when the program asks for events.
//
// One lock protects all of it; nobody waits while holding it, except for events to be acknowledged.
#pragma once

#include "runtime/cm/Message.h"
#include "runtime/cm/Ports.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <set>
#include <utility>
#include <vector>

namespace rdma::cm {

using Clock = std::chrono::steady_clock;

enum class State {
  Idle,
  Bound,
  AddressResolved,
  RouteResolved,
  Listening,
  Connecting,  ///< has sent its request, or is trying to
  Answered,    ///< has the response, and has to say that it is ready
  Arriving,    ///< of a listener: the request is not here yet
  Requested,   ///< has a request to answer
  Accepted,    ///< has sent the response
  Established, ///< both sides are ready
  Ending,      ///< the other side is gone; the program does not know yet
  Over         ///< rejected, failed or disconnected
};

struct Id;

struct Event {
  rdma_cm_event Base = {};
  Id *Counted = nullptr; ///< whose destruction waits until this is acknowledged
  uint8_t Private[256] = {};
  static Event *of(rdma_cm_event *E) { return reinterpret_cast<Event *>(E); }
};

struct Channel {
  rdma_event_channel Base = {-1};
  int Timer = -1;
  std::deque<Event *> Waiting;
  std::set<Id *> Ids;
  std::set<std::pair<Clock::time_point, Id *>> Alarms;
  unsigned Waiters = 0; ///< threads that wait for an event
  bool IsOver = false;  ///< destroyed: has no descriptor any more
  static Channel *of(rdma_event_channel *C) { return reinterpret_cast<Channel *>(C); }

  /// Null with errno.
  static Channel *create();
  void destroy();
  /// Makes the descriptor ready when it should be.
  void arm();
  /// Lets the sockets and alarms say what they have to, until there is an event. The next one, or null.
  Event *next();
  /// Waits for the next. Null with errno: EAGAIN on a descriptor that does not block. In a channel that is
  /// destroyed it waits for ever, as on hardware.
  Event *wait();
  /// In the child of a fork: a descriptor of its own, of the same number.
  void replaceInChild();

private:
  bool open();
};

/// A multicast group that an identifier has joined.
struct Group {
  sockaddr_storage Address = {};
  ibv_gid Gid = {};
  bool IsAttached = false; ///< its queue pair
};

struct Id {
  rdma_cm_id Base = {};
  State Now = State::Idle;
  Channel *Events = nullptr;
  bool Sync = false; ///< the channel is its own: calls wait for their event
  int Socket = -1;
  Id *Listener = nullptr; ///< until the program knows the identifier
  uint32_t Reported = 0, Acknowledged = 0;
  std::optional<Clock::time_point> Alarm;
  Clock::time_point Begun;  ///< waiting for the other side
  Clock::time_point GiveUp; ///< when to end that

  bool OneFamily = false;
  std::optional<uint8_t> AckTimeout;
  ibv_ece LocalEce = {};
  Message Own, Other; ///< what this side says of itself, what the other said
  std::vector<uint8_t> ConnectData;
  std::optional<ibv_qp_init_attr> EndpointQueuePair; ///< for the connections of an rdma_create_ep
  std::vector<Group> Groups;

  static Id *of(rdma_cm_id *I) { return reinterpret_cast<Id *>(I); }
  sockaddr *source() { return &Base.route.addr.src_addr; }
  sockaddr *target() { return &Base.route.addr.dst_addr; }
  PortSpace space() const {
    return Base.ps == RDMA_PS_IB ? PortSpace::Ib : Base.ps == RDMA_PS_TCP ? PortSpace::Tcp : PortSpace::Udp;
  }
  /// It stands for a service of datagrams, and to connect is to ask for the queue pair of another one.
  bool isDatagram() const { return Base.qp_type == IBV_QPT_UD; }
  uint8_t requestPrivate() const { return isDatagram() ? DatagramRequestPrivate : RequestPrivate; }
  uint8_t responsePrivate() const { return isDatagram() ? DatagramResponsePrivate : ResponsePrivate; }

  static Id *create(Channel &Events, rdma_port_space Space, ibv_qp_type Type, void *Context);
  /// The program gets to know it, from its request. False: it has been destroyed, there is no room for it.
  bool introduce();
  /// The other side learns the end of it, and the program hears no more.
  void silence();
  /// Frees it and what it holds. No event of it may be unacknowledged.
  void destroy();

  void setAlarm(std::optional<Clock::time_point> At);
  /// The socket takes part in the channel, and does no longer (false: it did not).
  void listenToSocket();
  bool leaveSocket();
  void closeSocket();
  void moveTo(Channel &To);

  /// Tells the program. From: fills the parameters of the connection, with that many bytes of private data.
  Event *tell(rdma_cm_event_type Type, int Status = 0, const Message *From = nullptr,
              uint8_t PrivateSize = 0);
  bool send(MessageKind Kind, Reason Why = Reason::None);

  void onSocket();
  void onAlarm();
  /// Sends the request, or tries again later; false when that failed and the program has been told.
  void tryToConnect();
  /// Rejected, or gone before the connection was there.
  void refused(Reason Why, const Message *From = nullptr);
  /// The other side of an established connection has ended it. On a network that takes longer than the
  /// messages before it: the program learns of it once it has taken what they completed, or has had time to.
  void ending();
  void disconnected();

private:
  /// The identifiers of a listener that the program does not know yet.
  std::vector<Id *> unknown() const;
  void acceptOne();
  void onMessage(const Message &M);
  void onRequest(const Message &M);
  void onResponse(const Message &M);
  void lost();
};

std::mutex &theLock();
std::condition_variable &acknowledged();

/// Sets errno; -1.
int failed(int Error);

/// Gives an identifier the device and its domain. 0 or an errno value.
int attachDevice(Id &I);
int maxResources();

/// The key that all datagram services share.
inline constexpr uint32_t DatagramKey = 0x01234567;

/// The states of a queue pair on the way to a connection (QueuePairs.cpp). 0 or an errno value.
int queuePairAttributes(Id &I, ibv_qp_attr &Attr, int &Mask);
int toReady(Id &I);
void toError(Id &I);
/// What the other side answered before the end is here.
void takeAnswers(Id &I);
/// Whether the program has still to take completions of the queue pair.
bool hasCompletions(Id &I);

/// Ends a call, which holds the lock. Without a channel of the program: waits for the event, and returns what
/// that says. Otherwise another thread may have destroyed the identifier as soon as the lock is free.
int complete(Id &I, std::unique_lock<std::mutex> &Held);

} // namespace rdma::cm

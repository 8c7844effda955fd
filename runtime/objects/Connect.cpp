// The active side of connections: addresses, control links to lower nodes, data queue pairs.
#include "Membership.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <utility>

namespace rdma::objects {

namespace {

constexpr int ResolveMilliseconds = 2000;
constexpr auto RetryPause = std::chrono::milliseconds(5);
constexpr std::chrono::milliseconds DataTimeout{30000};

struct address_list {
  addrinfo *First = nullptr;
  ~address_list() {
    if (First)
      freeaddrinfo(First);
  }
};

/// "ADDRESS:PORT" or "[ADDRESS]:PORT".
void resolve(const std::string &Host, node_id Node, address_list &Into) {
  std::size_t Colon = Host.rfind(':');
  if (Colon == std::string::npos)
    throw error("'" + Host + "' is not ADDRESS:PORT", {}, Node);
  std::string Address = Host.substr(0, Colon), Port = Host.substr(Colon + 1);
  if (Address.size() > 2 && Address.front() == '[' && Address.back() == ']')
    Address = Address.substr(1, Address.size() - 2);
  addrinfo Hints = {};
  Hints.ai_socktype = SOCK_STREAM;
  Hints.ai_flags = AI_NUMERICSERV;
  if (int Code = getaddrinfo(Address.c_str(), Port.c_str(), &Hints, &Into.First))
    throw error("'" + Host + "': " + gai_strerror(Code), {}, Node);
}

int millisecondsUntil(steady::time_point Until) {
  auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Until - steady::now()).count();
  return Left < 0 ? 0 : static_cast<int>(std::min<long>(Left, 1 << 30));
}

/// An identifier with an event channel of its own while it is being connected.
struct attempt {
  rdma_event_channel *Events = rdma_create_event_channel();
  rdma_cm_id *Id = nullptr;
  hello Answer;
  bool HasAnswer = false;

  ~attempt() {
    if (Id) {
      if (Id->qp)
        rdma_destroy_qp(Id);
      rdma_destroy_id(Id);
    }
    if (Events)
      rdma_destroy_event_channel(Events);
  }
  /// Waits for the next event; false when it is another, or none comes.
  bool next(rdma_cm_event_type Wanted, steady::time_point Until) {
    pollfd Ready = {Events->fd, POLLIN, 0};
    rdma_cm_event *Event;
    if (poll(&Ready, 1, millisecondsUntil(Until)) <= 0 || rdma_get_cm_event(Events, &Event))
      return false;
    bool Is = Event->event == Wanted;
    const rdma_conn_param &Param = Event->param.conn;
    if (Param.private_data && Param.private_data_len >= sizeof Answer) {
      std::memcpy(&Answer, Param.private_data, sizeof Answer);
      HasAnswer = Answer.Magic == hello::OurMagic;
    }
    rdma_ack_cm_event(Event);
    return Is;
  }
};

std::string reasonOf(const hello &Refusal, const hello &Own) {
  switch (Refusal.Reason) {
  case WrongNodes:
    return "has " + std::to_string(Refusal.Nodes) + " nodes, " + std::to_string(Own.Nodes) + " on this node";
  case WrongThreads:
    return "has " + std::to_string(Refusal.Threads) + " threads a node, " + std::to_string(Own.Threads) +
           " on this node";
  default:
    return "does not take node " + std::to_string(Own.Node) + ": it is there already, or has no such number";
  }
}

rdma_conn_param parameters(const hello &Own) {
  rdma_conn_param Param = {};
  Param.private_data = &Own;
  Param.private_data_len = sizeof Own;
  Param.responder_resources = RDMA_MAX_RESP_RES;
  Param.initiator_depth = RDMA_MAX_INIT_DEPTH;
  Param.retry_count = 7;
  Param.rnr_retry_count = 7;
  return Param;
}

} // namespace

void membership::openDevice() {
  Events = rdma_create_event_channel();
  if (!Events || fcntl(Events->fd, F_SETFL, O_NONBLOCK) ||
      rdma_create_id(Events, &Listener, nullptr, RDMA_PS_TCP))
    throw error(std::string("no connection manager: ") + std::strerror(errno));
  address_list Own;
  resolve(Hosts[Manager.me()], Manager.me(), Own);
  if (rdma_bind_addr(Listener, Own.First->ai_addr) || rdma_listen(Listener, 512))
    throw error("cannot listen on " + Hosts[Manager.me()] + ": " + std::strerror(errno));
  Verbs = Listener->verbs;
  if (!Verbs) { // an address that belongs to no device in particular, such as loopback
    int Count = 0;
    ibv_context **Devices = rdma_get_devices(&Count);
    if (Devices && Count)
      Verbs = Devices[0];
    if (Devices)
      rdma_free_devices(Devices);
  }
  ibv_device_attr Limits = {};
  if (!Verbs || ibv_query_device(Verbs, &Limits))
    throw error("no RDMA device for " + Hosts[Manager.me()]);
  Manager.Atomics = Limits.atomic_cap;
  Pd = ibv_alloc_pd(Verbs);
  if (!Pd)
    throw error(std::string("protection domain: ") + std::strerror(errno));
}

/// Tries until the node is there, the time is over (then there is none), or the node refuses.
rdma_cm_id *membership::connect(node_id Node, hello::kind Kind, ibv_cq *Send, ibv_cq *Receive,
                                std::uint32_t Depth, steady::time_point Until) {
  const hello Own = ownHello(Kind);
  address_list To;
  resolve(Hosts[Node], Node, To);
  do {
    attempt Try;
    ibv_qp_init_attr Init = {};
    Init.send_cq = Send;
    Init.recv_cq = Receive;
    Init.qp_type = IBV_QPT_RC;
    Init.cap = {Depth, Kind == hello::Control ? std::uint32_t(link::Receives) : 1, 1, 1, inline_limit};
    rdma_conn_param Param = parameters(Own);
    if (!Try.Events || rdma_create_id(Try.Events, &Try.Id, nullptr, RDMA_PS_TCP))
      throw error(std::string("connection identifier: ") + std::strerror(errno));
    bool Resolved = !rdma_resolve_addr(Try.Id, nullptr, To.First->ai_addr, ResolveMilliseconds) &&
                    Try.next(RDMA_CM_EVENT_ADDR_RESOLVED, Until) &&
                    !rdma_resolve_route(Try.Id, ResolveMilliseconds) &&
                    Try.next(RDMA_CM_EVENT_ROUTE_RESOLVED, Until);
    if (Resolved && rdma_create_qp(Try.Id, Pd, &Init))
      throw error("queue pair to node " + std::to_string(Node) + ": " + std::strerror(errno), {}, Node);
    if (Resolved && Kind == hello::Control)
      postReceives(Links[Node], Try.Id->qp);
    if (Resolved && !rdma_connect(Try.Id, &Param) && Try.next(RDMA_CM_EVENT_ESTABLISHED, Until) &&
        Try.HasAnswer) {
      if (Kind == hello::Control) { // before its events go to the service thread
        std::lock_guard Guard(Lock);
        Links[Node].Id = Try.Id;
        Links[Node].Peer = Try.Answer;
        Links[Node].Up = true;
      }
      rdma_cm_id *Id = std::exchange(Try.Id, nullptr);
      if (rdma_migrate_id(Id, Events))
        throw error(std::string("connection identifier: ") + std::strerror(errno));
      return Id;
    }
    if (Kind == hello::Control) {
      std::lock_guard Guard(Lock);
      Links[Node].Qp = nullptr; // goes with the attempt
    }
    if (Try.HasAnswer && Try.Answer.Kind == hello::Refusal)
      throw error("node " + std::to_string(Node) + " " + reasonOf(Try.Answer, Own), {}, Node);
    std::this_thread::sleep_for(RetryPause);
    if (status S = Manager.health(); S != status::ok) {
      {
        std::lock_guard Guard(Lock);
        requireNobodyGaveUp();
      }
      if (Kind == hello::Control)
        requireNobodyLost();
      std::string Why = Manager.why(); // often of another node: whoever is lost ends it for all
      throw error("node " + std::to_string(Node) + " cannot be connected: " + to_string(S) +
                      (Why.empty() ? "" : ": " + Why),
                  {}, Node);
    }
  } while (steady::now() < Until);
  return nullptr;
}

rdma_cm_id *membership::connectData(node_id Node, ibv_cq *Cq, std::uint32_t Depth) {
  rdma_cm_id *Id = connect(Node, hello::Data, Cq, Cq, Depth, steady::now() + DataTimeout);
  if (!Id)
    throw error("node " + std::to_string(Node) + " does not take a queue pair", {}, Node);
  return Id;
}

bool membership::connectControl(node_id Node, steady::time_point Until) {
  link &L = Links[Node];
  return connect(Node, hello::Control, L.Sent, L.Received, 4, Until);
}

void membership::prepare(link &L) {
  L.Arrivals = ibv_create_comp_channel(Verbs);
  L.Sent = ibv_create_cq(Verbs, 4, nullptr, nullptr, 0);
  L.Received = L.Arrivals ? ibv_create_cq(Verbs, link::Receives, nullptr, L.Arrivals, 0) : nullptr;
  L.Buffers.resize((link::Receives + 1) * link::MessageSize);
  L.Mr = ibv_reg_mr(Pd, L.Buffers.data(), L.Buffers.size(), static_cast<int>(IBV_ACCESS_LOCAL_WRITE));
  if (!L.Sent || !L.Received || !L.Mr || ibv_req_notify_cq(L.Received, 0))
    throw error(std::string("control link: ") + std::strerror(errno));
}

void membership::postReceive(link &L, ibv_qp *Qp, std::size_t Index) {
  ibv_sge Sge = {reinterpret_cast<std::uintptr_t>(L.Buffers.data() + Index * link::MessageSize),
                 link::MessageSize, L.Mr->lkey};
  ibv_recv_wr Request = {}, *Bad;
  Request.wr_id = Index;
  Request.sg_list = &Sge;
  Request.num_sge = 1;
  if (!ibv_post_recv(Qp, &Request, &Bad)) // fails on a lost link only
    ++L.Open;
}

void membership::release(link &L) {
  if (L.Id) {
    rdma_destroy_qp(L.Id);
    rdma_destroy_id(L.Id);
  }
  if (L.Sent)
    ibv_destroy_cq(L.Sent);
  if (L.Received)
    ibv_destroy_cq(L.Received);
  if (L.Arrivals)
    ibv_destroy_comp_channel(L.Arrivals);
  if (L.Mr)
    ibv_dereg_mr(L.Mr);
}

} // namespace rdma::objects

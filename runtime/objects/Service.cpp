// The passive side: one thread that accepts connections, takes messages, and notices that a node is gone.
#include "Membership.h"

#include <cerrno>
#include <cstring>
#include <poll.h>

namespace rdma::objects {

void membership::serve() {
  std::vector<pollfd> Sources = {{Wake, POLLIN, 0}, {Events->fd, POLLIN, 0}};
  std::vector<node_id> Of = {0, 0};
  for (node_id N = 0; N < Links.size(); ++N)
    if (Links[N].Arrivals) {
      Sources.push_back({Links[N].Arrivals->fd, POLLIN, 0});
      Of.push_back(N);
    }
  while (!Stop) {
    if (poll(Sources.data(), Sources.size(), -1) < 0 && errno != EINTR)
      return;
    // Messages first: what a node said before it went counts.
    for (std::size_t I = 2; I < Sources.size(); ++I)
      if (Sources[I].revents)
        takeArrivals(Of[I]);
    // There may be no event: another thread may have destroyed the identifier that had one, or somebody have
    // come and gone. The descriptor does not block.
    rdma_cm_event *Event;
    if (!Stop && Sources[1].revents && !rdma_get_cm_event(Events, &Event)) {
      for (node_id N = 0; N < Links.size(); ++N)
        if (Links[N].Received)
          takeMessages(N);
      handleEvent(*Event);
    }
  }
}

void membership::handleEvent(rdma_cm_event &Event) {
  rdma_cm_id *Id = Event.id;
  auto Type = Event.event;
  hello From;
  bool Ours = Type == RDMA_CM_EVENT_CONNECT_REQUEST && Event.param.conn.private_data &&
              Event.param.conn.private_data_len >= sizeof From;
  if (Ours)
    std::memcpy(&From, Event.param.conn.private_data, sizeof From);
  rdma_ack_cm_event(&Event);
  if (Type == RDMA_CM_EVENT_CONNECT_REQUEST) {
    if (Ours && From.Magic == hello::OurMagic)
      admit(Id, From);
    else if (rdma_reject(Id, nullptr, 0) || rdma_destroy_id(Id))
      return;
  }
  if ((Type == RDMA_CM_EVENT_DISCONNECTED || Type == RDMA_CM_EVENT_REJECTED ||
       Type == RDMA_CM_EVENT_UNREACHABLE || Type == RDMA_CM_EVENT_CONNECT_ERROR) &&
      letGo(Id))
    return;
  if (Type != RDMA_CM_EVENT_ESTABLISHED && Type != RDMA_CM_EVENT_DISCONNECTED &&
      Type != RDMA_CM_EVENT_REJECTED) // by the end of a node that was about to be connected
    return;
  if (Type == RDMA_CM_EVENT_DISCONNECTED)
    for (node_id N = 0; N < Links.size(); ++N)
      if (N != Manager.me() && idOf(N) == Id)
        drain(N);
  std::lock_guard Guard(Lock);
  for (node_id N = 0; N < Links.size(); ++N)
    if (link &L = Links[N]; L.Id == Id && Type == RDMA_CM_EVENT_ESTABLISHED)
      L.Up = true;
    else if (L.Id == Id && !L.Lost) {
      L.Lost = true;
      // One that has said goodbye has waited for this node's, or for as long as it would.
      if (L.Up && !(L.Left && SaysGoodbye))
        Manager.lose(N, nullptr, L.Left);
      if (!L.Left && !L.Early)
        noteLost(N);
    }
  Changed.notify_all();
}

void membership::refuse(rdma_cm_id *Id, std::uint16_t Reason, const hello &From) {
  hello Why = ownHello(hello::Refusal);
  Why.Reason = Reason;
  rdma_reject(Id, &Why, sizeof Why);
  rdma_destroy_id(Id);
  std::lock_guard Guard(Lock);
  SetupPeer = From.Node;
  SetupError = "node " + std::to_string(From.Node) + " was refused: it has " + std::to_string(From.Nodes) +
               " nodes of " + std::to_string(From.Threads) + " threads, " + std::to_string(Hosts.size()) +
               " of " + std::to_string(Manager.threads()) + " on this node";
  if (Reason == WrongNumber)
    SetupError = "node " + std::to_string(From.Node) + " came twice, or has no such number";
  Changed.notify_all();
}

void membership::admit(rdma_cm_id *Id, const hello &From) {
  bool Control = From.Kind == hello::Control;
  if (From.Nodes != Hosts.size())
    return refuse(Id, WrongNodes, From);
  if (From.Threads != Manager.threads())
    return refuse(Id, WrongThreads, From);
  if (From.Node >= Hosts.size() || (Control && (From.Node <= Manager.me() || Links[From.Node].Id)))
    return refuse(Id, WrongNumber, From);
  link *L = Control ? &Links[From.Node] : nullptr;
  ibv_qp_init_attr Init = {};
  Init.send_cq = L ? L->Sent : Passive;
  Init.recv_cq = L ? L->Received : Passive;
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {L ? 4u : 1u, L ? std::uint32_t(link::Receives) : 1u, 1, 1, 0};
  if (rdma_create_qp(Id, Pd, &Init)) {
    rdma_reject(Id, nullptr, 0);
    rdma_destroy_id(Id);
    return;
  }
  const hello Own = ownHello(static_cast<hello::kind>(From.Kind));
  rdma_conn_param Param = {};
  Param.private_data = &Own;
  Param.private_data_len = sizeof Own;
  Param.responder_resources = RDMA_MAX_RESP_RES;
  Param.initiator_depth = RDMA_MAX_INIT_DEPTH;
  Param.rnr_retry_count = 7;
  {
    std::lock_guard Guard(Lock);
    if (L) {
      L->Id = Id;
      L->Peer = From;
    } else {
      Accepted.push_back(Id);
    }
  }
  if (L)
    postReceives(*L, Id->qp);
  if (rdma_accept(Id, &Param)) {
    std::lock_guard Guard(Lock);
    SetupPeer = From.Node;
    SetupError = "node " + std::to_string(From.Node) + " cannot be accepted: " + std::strerror(errno);
    Changed.notify_all();
  }
}

/// What a thread of another node had, which has detached, gone, or not come to be connected. False when it is
/// something else.
bool membership::letGo(rdma_cm_id *Id) {
  {
    std::lock_guard Guard(Lock);
    if (!std::erase(Accepted, Id))
      return false;
  }
  rdma_destroy_qp(Id);
  rdma_destroy_id(Id);
  return true;
}

void membership::postReceives(link &L, ibv_qp *Qp) {
  L.Number = Qp->qp_num;
  L.Open = 0;
  {
    std::lock_guard Guard(Lock);
    L.Qp = Qp;
  }
  for (std::size_t I = 0; I < link::Receives; ++I)
    postReceive(L, Qp, I);
}

void membership::takeArrivals(node_id Node) {
  ibv_cq *Cq;
  void *Unused;
  if (ibv_get_cq_event(Links[Node].Arrivals, &Cq, &Unused))
    return;
  ibv_ack_cq_events(Cq, 1);
  if (ibv_req_notify_cq(Cq, 0) == 0)
    takeMessages(Node);
}

rdma_cm_id *membership::idOf(node_id Node) {
  std::lock_guard Guard(Lock);
  return Links[Node].Id;
}

void membership::takeMessages(node_id Node) {
  link &L = Links[Node];
  ibv_wc Completion;
  while (ibv_poll_cq(L.Received, 1, &Completion) > 0) {
    if (Completion.qp_num == L.Number)
      --L.Open;
    if (Completion.status != IBV_WC_SUCCESS)
      continue;
    takeMessage(Node, L.Buffers.data() + Completion.wr_id * link::MessageSize, Completion.byte_len);
    std::lock_guard Guard(Lock);
    if (L.Qp && !L.Ending)
      postReceive(L, L.Qp, Completion.wr_id);
  }
}

/// The end of the connection says nothing of messages before it: one that the sender knows to be delivered
/// may still be on its way into the completion queue. A queue pair in the error state completes every
/// receive, and each message takes one; so when none is open nothing more can come.
void membership::drain(node_id Node) {
  constexpr auto Patience = std::chrono::seconds(2); // of a device that does not keep to that
  link &L = Links[Node];
  L.Ending = true;
  (void)rdma_disconnect(idOf(Node)); // to the error state; it may be there already
  auto Until = steady::now() + Patience;
  for (std::uint64_t Turn = 0; takeMessages(Node), L.Open && steady::now() < Until; ++Turn)
    rest(Turn);
}

} // namespace rdma::objects

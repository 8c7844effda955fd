#include "Connections.h"

#include <arpa/inet.h>
#include <cstring>
#include <poll.h>

namespace rdma::test {

Host::Host(const char *Text, uint16_t Port) {
  auto *V4 = reinterpret_cast<sockaddr_in *>(&Storage);
  auto *V6 = reinterpret_cast<sockaddr_in6 *>(&Storage);
  bool IsV4 = inet_pton(AF_INET, Text, &V4->sin_addr) == 1;
  if (!IsV4)
    CHECK(inet_pton(AF_INET6, Text, &V6->sin6_addr) == 1);
  Storage.ss_family = IsV4 ? AF_INET : AF_INET6;
  V4->sin_port = htons(Port);
}

Told expectEvent(rdma_event_channel *Events, rdma_cm_event_type Type, int Status) {
  rdma_cm_event *E = nullptr;
  CHECK(rdma_get_cm_event(Events, &E) == 0);
  if (E->event != Type || E->status != Status) {
    fprintf(stderr, "%s, status %d, in place of %s, status %d\n", rdma_event_str(E->event), E->status,
            rdma_event_str(Type), Status);
    _exit(1);
  }
  Told T = {*E, {}, E->param.conn.private_data_len};
  if (T.PrivateSize)
    T.Private.assign(static_cast<const char *>(E->param.conn.private_data), T.PrivateSize);
  while (!T.Private.empty() && !T.Private.back())
    T.Private.pop_back();
  CHECK(rdma_ack_cm_event(E) == 0);
  return T;
}

bool isReady(rdma_event_channel *Events, int Milliseconds) {
  pollfd Poll = {Events->fd, POLLIN, 0};
  return poll(&Poll, 1, Milliseconds) == 1 && Poll.revents == POLLIN;
}

rdma_event_channel *newChannel() {
  rdma_event_channel *C = rdma_create_event_channel();
  CHECK(C);
  return C;
}

rdma_cm_id *newId(rdma_event_channel *Events) {
  rdma_cm_id *I = nullptr;
  CHECK(rdma_create_id(Events, &I, Events, RDMA_PS_TCP) == 0);
  return I;
}

rdma_cm_id *listenOn(rdma_event_channel *Events, uint16_t Port, int Backlog) {
  rdma_cm_id *I = newId(Events);
  CHECK(rdma_bind_addr(I, Host("127.0.0.1", Port)) == 0);
  CHECK(rdma_listen(I, Backlog) == 0);
  return I;
}

rdma_cm_id *resolved(rdma_event_channel *Events, __be16 Port) {
  rdma_cm_id *I = newId(Events);
  CHECK(rdma_resolve_addr(I, nullptr, Host("127.0.0.1", ntohs(Port)), 1000) == 0);
  expectEvent(Events, RDMA_CM_EVENT_ADDR_RESOLVED);
  CHECK(rdma_resolve_route(I, 1000) == 0);
  expectEvent(Events, RDMA_CM_EVENT_ROUTE_RESOLVED);
  return I;
}

void giveQueuePair(rdma_cm_id *I) {
  ibv_qp_init_attr Init = {};
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {16, 16, 1, 1, 16};
  CHECK(rdma_create_qp(I, nullptr, &Init) == 0);
}

rdma_conn_param parameters(const std::string &Private) {
  rdma_conn_param P = {};
  P.private_data = Private.data();
  P.private_data_len = static_cast<uint8_t>(Private.size());
  P.responder_resources = 3;
  P.initiator_depth = 2;
  P.retry_count = 5;
  P.rnr_retry_count = 6;
  return P;
}

Connected::Connected() : ActiveEvents(newChannel()), PassiveEvents(newChannel()) {
  Listener = listenOn(PassiveEvents);
  Active = resolved(ActiveEvents, rdma_get_src_port(Listener));
  giveQueuePair(Active);
  rdma_conn_param P = parameters();
  CHECK(rdma_connect(Active, &P) == 0);
  Passive = expectEvent(PassiveEvents, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
  giveQueuePair(Passive);
  CHECK(rdma_accept(Passive, nullptr) == 0);
  expectEvent(ActiveEvents, RDMA_CM_EVENT_ESTABLISHED);
  expectEvent(PassiveEvents, RDMA_CM_EVENT_ESTABLISHED);
}

} // namespace rdma::test

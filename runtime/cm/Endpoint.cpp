// Identifiers, with or without a channel of their own, and endpoints: several steps in one call.
#include "runtime/cm/Id.h"

#include <cerrno>

using namespace rdma::cm;

namespace rdma::cm {

namespace {

ibv_qp_type typeOf(rdma_port_space Space) {
  return Space == RDMA_PS_UDP || Space == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
}

int createId(rdma_event_channel *Public, rdma_cm_id **To, void *Context, rdma_port_space Space,
             ibv_qp_type Type) {
  bool Known = Space == RDMA_PS_TCP || Space == RDMA_PS_UDP || Space == RDMA_PS_IPOIB || Space == RDMA_PS_IB;
  if (!Known || Type != typeOf(Space))
    return failed(EOPNOTSUPP);
  std::lock_guard Guard(theLock());
  Channel *Events = Public ? Channel::of(Public) : Channel::create();
  if (!Events)
    return -1;
  Id *I = Id::create(*Events, Space, Type, Context);
  I->Sync = !Public;
  *To = &I->Base;
  return 0;
}

int prepareListener(rdma_cm_id *Public, const rdma_addrinfo &Where, ibv_pd *Pd,
                    const ibv_qp_init_attr *Init) {
  if (rdma_bind_addr(Public, Where.ai_src_addr))
    return -1;
  if (Pd)
    Public->pd = Pd;
  if (Init) {
    Id::of(Public)->EndpointQueuePair = *Init;
    Id::of(Public)->EndpointQueuePair->qp_type = static_cast<ibv_qp_type>(Where.ai_qp_type);
  }
  return 0;
}

int prepareConnection(rdma_cm_id *Public, const rdma_addrinfo &Where, ibv_pd *Pd, ibv_qp_init_attr *Init) {
  constexpr int Timeout = 2000;
  if (rdma_resolve_addr(Public, Where.ai_src_addr, Where.ai_dst_addr, Timeout) ||
      rdma_resolve_route(Public, Timeout))
    return -1;
  if (Init) {
    Init->qp_type = static_cast<ibv_qp_type>(Where.ai_qp_type);
    if (rdma_create_qp(Public, Pd, Init))
      return -1;
  }
  const auto *Data = static_cast<const uint8_t *>(Where.ai_connect);
  Id::of(Public)->ConnectData.assign(Data, Data + Where.ai_connect_len);
  return 0;
}

/// What a request must be for rdma_get_request; an errno value when it is something else.
int errorOf(const rdma_cm_event &E) {
  return E.event == RDMA_CM_EVENT_REJECTED          ? ECONNREFUSED
         : E.status                                 ? std::abs(E.status)
         : E.event != RDMA_CM_EVENT_CONNECT_REQUEST ? EINVAL
                                                    : 0;
}

} // namespace

} // namespace rdma::cm

extern "C" {

int rdma_create_id(rdma_event_channel *Events, rdma_cm_id **To, void *Context, rdma_port_space Space) {
  return createId(Events, To, Context, Space, typeOf(Space));
}

int rdma_get_cm_event(rdma_event_channel *Public, rdma_cm_event **To) {
  if (!To)
    return failed(EINVAL);
  Event *E = Channel::of(Public)->wait();
  if (!E)
    return -1;
  *To = &E->Base;
  return 0;
}

int rdma_create_ep(rdma_cm_id **To, rdma_addrinfo *Where, ibv_pd *Pd, ibv_qp_init_attr *Init) {
  rdma_cm_id *I = nullptr;
  if (createId(nullptr, &I, nullptr, static_cast<rdma_port_space>(Where->ai_port_space),
               static_cast<ibv_qp_type>(Where->ai_qp_type)))
    return -1;
  int Result = Where->ai_flags & RAI_PASSIVE ? prepareListener(I, *Where, Pd, Init)
                                             : prepareConnection(I, *Where, Pd, Init);
  if (Result) {
    int Error = errno;
    rdma_destroy_ep(I);
    return failed(Error);
  }
  *To = I;
  return 0;
}

void rdma_destroy_ep(rdma_cm_id *I) {
  if (I->qp)
    rdma_destroy_qp(I);
  if (I->srq)
    rdma_destroy_srq(I);
  rdma_destroy_id(I);
}

int rdma_get_request(rdma_cm_id *Listener, rdma_cm_id **To) {
  Id &L = *Id::of(Listener);
  if (!L.Sync)
    return failed(EINVAL);
  if (Listener->event)
    rdma_ack_cm_event(std::exchange(Listener->event, nullptr));
  rdma_cm_event *E = nullptr;
  if (rdma_get_cm_event(Listener->channel, &E))
    return -1;
  int Error = errorOf(*E);
  if (!Error && L.EndpointQueuePair) {
    ibv_qp_init_attr Init = *L.EndpointQueuePair;
    if (rdma_create_qp(E->id, Listener->pd, &Init))
      Error = errno;
  }
  if (Error) {
    Listener->event = E;
    return failed(Error);
  }
  *To = E->id;
  E->id->event = E;
  return 0;
}
}

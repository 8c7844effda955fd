// Connects two identifiers by address, with nothing but the library it is linked with.
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>

static struct rdma_event_channel *channel;

/// The identifier of the next event; null when that is of another type.
static struct rdma_cm_id *next(enum rdma_cm_event_type type) {
  struct rdma_cm_event *event;
  if (rdma_get_cm_event(channel, &event))
    return NULL;
  struct rdma_cm_id *id = event->event == type ? event->id : NULL;
  printf("%s\n", rdma_event_str(event->event));
  rdma_ack_cm_event(event);
  return id;
}

static int create_qp(struct rdma_cm_id *id) {
  struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {4, 4, 1, 1, 0}};
  return rdma_create_qp(id, NULL, &attr);
}

int main(void) {
  struct rdma_cm_id *listener, *active, *passive;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  channel = rdma_create_event_channel();
  if (!channel || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
      rdma_bind_addr(listener, (struct sockaddr *)&here) || rdma_listen(listener, 1) ||
      rdma_create_id(channel, &active, NULL, RDMA_PS_TCP) ||
      rdma_resolve_addr(active, NULL, rdma_get_local_addr(listener), 1000) ||
      !next(RDMA_CM_EVENT_ADDR_RESOLVED) || rdma_resolve_route(active, 1000) ||
      !next(RDMA_CM_EVENT_ROUTE_RESOLVED) || create_qp(active) || rdma_connect(active, NULL))
    return 1;
  passive = next(RDMA_CM_EVENT_CONNECT_REQUEST);
  if (!passive || create_qp(passive) || rdma_accept(passive, NULL))
    return 1;
  return !next(RDMA_CM_EVENT_ESTABLISHED) || !next(RDMA_CM_EVENT_ESTABLISHED);
}

// What the tests of the connection manager need: events one by one, and connections between two identifiers.
#pragma once

#include "Nodes.h"

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include <string>
#include <vector>

namespace rdma::test {

/// An address of either family.
struct Host {
  sockaddr_storage Storage = {};
  Host(const char *Text, uint16_t Port = 0);
  operator sockaddr *() { return reinterpret_cast<sockaddr *>(&Storage); }
};

/// An event, acknowledged.
struct Told {
  rdma_cm_event Event = {};
  std::string Private; ///< up to the zeros behind it
  uint8_t PrivateSize = 0;
};

/// The next event has to be of this type.
Told expectEvent(rdma_event_channel *Events, rdma_cm_event_type Type, int Status = 0);
/// Whether there is an event on the channel within this time.
bool isReady(rdma_event_channel *Events, int Milliseconds);

rdma_event_channel *newChannel();
rdma_cm_id *newId(rdma_event_channel *Events);
/// Listens on this address of the loopback interface; port 0 is any.
rdma_cm_id *listenOn(rdma_event_channel *Events, uint16_t Port = 0, int Backlog = 0);
/// An identifier with the address and the route to a port of the loopback interface.
rdma_cm_id *resolved(rdma_event_channel *Events, __be16 Port);
void giveQueuePair(rdma_cm_id *I);

rdma_conn_param parameters(const std::string &Private = {});

/// Two identifiers with queue pairs of one process, connected, each with a channel of its own.
struct Connected {
  Connected();
  rdma_event_channel *ActiveEvents, *PassiveEvents;
  rdma_cm_id *Listener, *Active, *Passive;
};

} // namespace rdma::test

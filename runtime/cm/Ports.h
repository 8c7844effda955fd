// Where connections meet: the ports of a fabric.
//
// A port is a name in the abstract socket name space, of user, fabric, port space, port and host. Holding the
// name is holding the port: the kernel gives it back when the process ends, however it ends. See README.md
// for why these are not TCP ports.
#pragma once

#include <cstdint>
#include <sys/socket.h>

namespace rdma::cm {

/// Datagrams: of rsockets, which ask at a port for more than a queue pair.
enum class PortSpace { Tcp, Ib, Udp, Datagrams };

/// The size of an IPv4 or IPv6 address, 0 for anything else.
socklen_t lengthOf(const sockaddr *At);
uint16_t portOf(const sockaddr *At);
void setPort(sockaddr *At, uint16_t Port);
bool isWildcard(const sockaddr *At);
bool isMulticast(const sockaddr *At);

/// 0, or the errno value when no interface of this machine has the address.
int checkLocal(const sockaddr *At);
/// The address, without port, from which this machine speaks to another; 0 or an errno value.
int sourceFor(const sockaddr *To, sockaddr_storage &From);

/// A new socket that holds the address, port 0: a free one, which is stored. -1 with errno; EADDRINUSE when
/// the address is held, or one that overlaps with it. OneFamily: `::` does not stand for IPv4 too.
int holdPort(PortSpace Space, sockaddr *At, bool OneFamily);

/// Connects to whoever listens at an address. 0; ECONNREFUSED: nobody does, EAGAIN: its backlog is full.
int connectTo(int Socket, PortSpace Space, const sockaddr *At);

/// Whether the other end of a connection is a process of this user.
bool sameUser(int Socket);

} // namespace rdma::cm

// Waiting of calls on a socket.
#pragma once

#include "runtime/sockets/Socket.h"

#include <cerrno>
#include <sys/socket.h>

namespace rdma::sockets {

template <typename Condition> bool Socket::wait(Guard &Held, int Flags, Condition Ready) {
  for (;;) {
    progress();
    if (Ready())
      return true;
    if (!IsBlocking || Flags & MSG_DONTWAIT) {
      errno = EAGAIN;
      return false;
    }
    pause(Held);
  }
}

} // namespace rdma::sockets

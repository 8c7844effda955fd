// Options of sockets.
#include "runtime/sockets/Stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rsocket.h>
#include <sys/socket.h>
#include <utility>

namespace rdma::sockets {

namespace {

struct Known {
  int Level, Name, Default;
};
constexpr int Room = -1; ///< as much as the socket has
/// Those that change nothing here are kept and told again.
constexpr Known Numbers[] = {
    {SOL_SOCKET, SO_REUSEADDR, 0},    {SOL_SOCKET, SO_SNDBUF, Room},   {SOL_SOCKET, SO_KEEPALIVE, 0},
    {SOL_SOCKET, SO_RCVBUF, Room},    {SOL_SOCKET, SO_OOBINLINE, 0},   {IPPROTO_TCP, TCP_NODELAY, 0},
    {IPPROTO_TCP, TCP_MAXSEG, 4096},  {IPPROTO_TCP, TCP_KEEPCNT, 9},   {IPPROTO_TCP, TCP_KEEPIDLE, 7200},
    {IPPROTO_TCP, TCP_KEEPINTVL, 75}, {SOL_RDMA, RDMA_SQSIZE, Slots},  {SOL_RDMA, RDMA_RQSIZE, Slots},
    {SOL_RDMA, RDMA_INLINE, 0},       {SOL_RDMA, RDMA_IOMAPSIZE, 128},
};

const Known *findOption(int Level, int Name) {
  auto Found = std::find_if(std::begin(Numbers), std::end(Numbers),
                            [=](const Known &K) { return K.Level == Level && K.Name == Name; });
  return Found == std::end(Numbers) ? nullptr : Found;
}

} // namespace

int Socket::setOption(int Level, int Name, const void *Value, socklen_t Size) {
  std::lock_guard Held(Lock);
  if (Level == IPPROTO_IPV6 && Name == IPV6_V6ONLY)
    return Size < sizeof(int) ? failed(EINVAL) : setOneFamily(*static_cast<const int *>(Value));
  if (Level == SOL_SOCKET && Name == SO_LINGER)
    return Size < sizeof(linger) ? failed(EINVAL) : 0;
  if (!findOption(Level, Name))
    return failed(ENOPROTOOPT);
  if (Size < sizeof(int))
    return failed(EINVAL);
  memcpy(&Options[{Level, Name}], Value, sizeof(int));
  return 0;
}

int Socket::option(int Level, int Name, void *Value, socklen_t *Size) {
  std::lock_guard Held(Lock);
  const Known *K = findOption(Level, Name);
  bool IsError = Level == SOL_SOCKET && Name == SO_ERROR;
  if (!K && !IsError)
    return failed(ENOPROTOOPT);
  if (*Size < sizeof(int))
    return failed(EINVAL);
  auto Set = Options.find({Level, Name});
  int Default = K && K->Default == Room ? bufferSize() : K ? K->Default : 0;
  int Number = IsError ? std::exchange(Error, 0) : Set == Options.end() ? Default : Set->second;
  memcpy(Value, &Number, sizeof Number);
  *Size = sizeof Number;
  return 0;
}

int Socket::setFlags(int Flags) {
  std::lock_guard Held(Lock);
  IsBlocking = !(Flags & O_NONBLOCK);
  return 0;
}

int Socket::flags() {
  std::lock_guard Held(Lock);
  return O_RDWR | (IsBlocking ? 0 : O_NONBLOCK);
}

} // namespace rdma::sockets

// Names in the abstract socket name space (unix(7)): the kernel gives one back when its holder ends.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace rdma::device {

/// Calls bind or connect with a name; 0 or an errno value.
inline int withName(int (*Call)(int, const sockaddr *, socklen_t), int Socket, const std::string &Name) {
  sockaddr_un At = {};
  At.sun_family = AF_UNIX;
  if (Name.size() >= sizeof At.sun_path)
    return ENAMETOOLONG;
  memcpy(At.sun_path + 1, Name.data(), Name.size());
  auto Size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + Name.size());
  return Call(Socket, reinterpret_cast<sockaddr *>(&At), Size) ? errno : 0;
}

} // namespace rdma::device

#include "runtime/cm/Ports.h"

#include "runtime/device/AbstractName.h"
#include "runtime/device/Settings.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <random>
#include <string>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace rdma::cm {

namespace {

const std::string AnyV4 = "0.0.0.0", AnyV6 = "::", AnyFamily = "*";
constexpr uint16_t FirstFree = 32768, LastFree = 60999; // as the kernel's for TCP

const sockaddr_in &asV4(const sockaddr *At) { return *reinterpret_cast<const sockaddr_in *>(At); }
const sockaddr_in6 &asV6(const sockaddr *At) { return *reinterpret_cast<const sockaddr_in6 *>(At); }

std::string hostOf(const sockaddr *At, bool OneFamily) {
  char Text[INET6_ADDRSTRLEN] = {};
  if (At->sa_family == AF_INET)
    return inet_ntop(AF_INET, &asV4(At).sin_addr, Text, sizeof Text);
  const in6_addr &Host = asV6(At).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&Host))
    return inet_ntop(AF_INET, Host.s6_addr + 12, Text, sizeof Text);
  if (IN6_IS_ADDR_UNSPECIFIED(&Host) && !OneFamily)
    return AnyFamily;
  std::string Name = inet_ntop(AF_INET6, &Host, Text, sizeof Text);
  return asV6(At).sin6_scope_id ? Name + '%' + std::to_string(asV6(At).sin6_scope_id) : Name;
}

bool isV6(const std::string &Host) { return Host.find(':') != std::string::npos; }
bool isWildcard(const std::string &Host) { return Host == AnyV4 || Host == AnyV6 || Host == AnyFamily; }
/// The wildcards that stand for a host too.
std::vector<std::string> wildcardsOf(const std::string &Host) {
  return {isV6(Host) ? AnyV6 : AnyV4, AnyFamily};
}
bool covers(const std::string &Wildcard, const std::string &Host) {
  return Wildcard == AnyFamily || Host == AnyFamily || isV6(Wildcard) == isV6(Host);
}

/// The names of all hosts of a port begin with this.
std::string prefixOf(PortSpace Space, uint16_t Port) {
  constexpr const char *Names[] = {"/tcp/", "/ib/", "/udp/", "/datagrams/"};
  return "rdma/" + std::to_string(geteuid()) + "/" + device::Settings::get().Fabric +
         Names[static_cast<size_t>(Space)] + std::to_string(Port) + "/";
}

using device::withName;

int openSocket() { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// 0, or an errno value; EADDRINUSE when the name is held.
int checkFree(const std::string &Name) {
  int Probe = openSocket();
  if (Probe < 0)
    return errno;
  int Error = withName(bind, Probe, Name);
  close(Probe);
  return Error;
}

/// The same of every host that a wildcard stands for. The accepted end of a connection shows the name of its
/// listener, and is in state 3: connected.
int checkFreeUnder(const std::string &Prefix, const std::string &Wildcard) {
  std::ifstream Names("/proc/net/unix");
  if (!Names)
    return errno;
  for (std::string Line; std::getline(Names, Line);) {
    size_t At = Line.find(" @" + Prefix);
    if (At == std::string::npos || Line.find(" 03 ") < At)
      continue;
    std::string Host = Line.substr(At + 2 + Prefix.size());
    if (Host != Wildcard && covers(Wildcard, Host))
      return EADDRINUSE;
  }
  return 0;
}

/// First the name, then the look at the others: of two that overlap at most one succeeds.
int hold(int Socket, const std::string &Prefix, const std::string &Host) {
  if (int Error = withName(bind, Socket, Prefix + Host))
    return Error;
  if (isWildcard(Host))
    return checkFreeUnder(Prefix, Host);
  for (const std::string &Wildcard : wildcardsOf(Host))
    if (int Error = checkFree(Prefix + Wildcard))
      return Error;
  return 0;
}

} // namespace

socklen_t lengthOf(const sockaddr *At) {
  return !At                         ? 0
         : At->sa_family == AF_INET  ? sizeof(sockaddr_in)
         : At->sa_family == AF_INET6 ? sizeof(sockaddr_in6)
                                     : 0;
}

uint16_t portOf(const sockaddr *At) {
  // Both kinds have the port at the same place.
  return lengthOf(At) ? ntohs(asV4(At).sin_port) : 0;
}

void setPort(sockaddr *At, uint16_t Port) { reinterpret_cast<sockaddr_in *>(At)->sin_port = htons(Port); }

bool isMulticast(const sockaddr *At) {
  return At->sa_family == AF_INET ? IN_MULTICAST(ntohl(asV4(At).sin_addr.s_addr))
                                  : IN6_IS_ADDR_MULTICAST(&asV6(At).sin6_addr);
}

bool isWildcard(const sockaddr *At) { return isWildcard(hostOf(At, true)); }

int checkLocal(const sockaddr *At) {
  sockaddr_storage Host = {};
  memcpy(&Host, At, lengthOf(At));
  auto *Public = reinterpret_cast<sockaddr *>(&Host);
  setPort(Public, 0);
  int Probe = socket(At->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (Probe < 0)
    return errno;
  int Error = bind(Probe, Public, lengthOf(At)) ? errno : 0;
  close(Probe);
  return Error;
}

int sourceFor(const sockaddr *To, sockaddr_storage &From) {
  sockaddr_storage There = {};
  memcpy(&There, To, lengthOf(To));
  auto *Public = reinterpret_cast<sockaddr *>(&There);
  setPort(Public, 9); // nothing is sent: any port will do
  int Probe = socket(To->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (Probe < 0)
    return errno;
  socklen_t Size = sizeof From;
  From = {};
  int Error =
      connect(Probe, Public, lengthOf(To)) || getsockname(Probe, reinterpret_cast<sockaddr *>(&From), &Size)
          ? errno
          : 0;
  close(Probe);
  setPort(reinterpret_cast<sockaddr *>(&From), 0);
  return Error;
}

int holdPort(PortSpace Space, sockaddr *At, bool OneFamily) {
  std::string Host = hostOf(At, OneFamily);
  bool Chosen = portOf(At) != 0;
  std::random_device Random;
  for (int Try = 0; Try < 10000; ++Try) {
    uint16_t Port = Chosen ? portOf(At) : uint16_t(FirstFree + Random() % (LastFree - FirstFree + 1));
    int Socket = openSocket();
    int Error = Socket < 0 ? errno : hold(Socket, prefixOf(Space, Port), Host);
    if (!Error) {
      setPort(At, Port);
      return Socket;
    }
    if (Socket >= 0)
      close(Socket);
    errno = Error;
    if (Chosen || Error != EADDRINUSE)
      return -1;
  }
  errno = EADDRNOTAVAIL;
  return -1;
}

int connectTo(int Socket, PortSpace Space, const sockaddr *At) {
  std::string Host = hostOf(At, true), Prefix = prefixOf(Space, portOf(At));
  std::vector<std::string> Hosts = wildcardsOf(Host);
  Hosts.insert(Hosts.begin(), Host);
  for (const std::string &Each : Hosts)
    if (int Error = withName(connect, Socket, Prefix + Each); Error != ECONNREFUSED)
      return Error;
  return ECONNREFUSED;
}

bool sameUser(int Socket) {
  ucred Who = {};
  socklen_t Size = sizeof Who;
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Who, &Size) == 0 && Who.uid == geteuid();
}

} // namespace rdma::cm

// How sockets for datagrams learn of each other's queue pairs.
#include "runtime/sockets/Greeting.h"

#include "runtime/cm/Ports.h"
#include "runtime/device/Context.h"
#include "runtime/device/Gid.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace rdma::sockets {

namespace {

/// Who listens at the address, if it is a process of this user; -1 with errno, 0 when nobody does.
int openLine(const Address &To) {
  int Fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (Fd < 0)
    return -1;
  int Error = cm::connectTo(Fd, cm::PortSpace::Datagrams, &To.Any);
  if (!Error && cm::sameUser(Fd))
    return Fd;
  ::close(Fd);
  errno = Error == ECONNREFUSED || Error == EAGAIN ? 0 : Error;
  return -1;
}

} // namespace

Datagrams::Peer *Datagrams::peerAt(const Address &To) {
  if (auto Found = Peers.find(To); Found != Peers.end())
    return &Found->second;
  Peer New;
  if (!isReachable(To) || !sourceTo(To, New.Own))
    return nullptr;
  New.Line = openLine(To);
  if (New.Line < 0)
    return nullptr;
  Lines.push_back({New.Line, To});
  IsAnswerDue = true;
  return &(Peers[To] = New);
}

void Datagrams::greet(int Line, const Address &Own, const msghdr *Datagram) {
  Greeting G;
  G.Lid = device::nodeOf(Pair->context).lid();
  G.QueuePair = Pair->qp_num;
  G.From = Own;
  G.HasDatagram = Datagram != nullptr;
  std::vector<iovec> Parts = {{&G, sizeof G}};
  if (Datagram)
    Parts.insert(Parts.end(), Datagram->msg_iov, Datagram->msg_iov + Datagram->msg_iovlen);
  msghdr All = {};
  All.msg_iov = Parts.data();
  All.msg_iovlen = Parts.size();
  sendmsg(Line, &All, MSG_DONTWAIT | MSG_NOSIGNAL); // lost, when the other side has not read for long
}

void Datagrams::forget(const Address &Other, int Line) {
  auto Found = Peers.find(Other);
  if (Found == Peers.end() || Found->second.Line != Line)
    return;
  if (Found->second.Way)
    ibv_destroy_ah(Found->second.Way);
  Peers.erase(Found);
}

/// The first one at a line that another has opened is answered.
void Datagrams::onGreeting(Line &L, const char *At, size_t Size) {
  Greeting G;
  if (Size < sizeof G)
    return;
  memcpy(static_cast<void *>(&G), At, sizeof G);
  if (G.Magic != Greeting::Expected)
    return;
  bool IsFirst = !L.Other;
  if (IsFirst)
    L.Other = G.From;
  Peer &P = Peers[*L.Other];
  if (!P.Way || P.QueuePair != G.QueuePair || P.Lid != G.Lid) {
    if (P.Way)
      ibv_destroy_ah(P.Way);
    ibv_ah_attr Attr = {};
    device::setPath(Attr, G.Lid);
    Attr.port_num = 1;
    P.Way = ibv_create_ah(Domain, &Attr);
    P.QueuePair = G.QueuePair;
    P.Lid = G.Lid;
    P.Line = L.Fd;
    sourceTo(*L.Other, P.Own);
  }
  if (IsFirst)
    greet(L.Fd, P.Own, nullptr);
  if (G.HasDatagram)
    arrived(G.From, At + sizeof G, Size - sizeof G);
}

bool Datagrams::takeGreetings() {
  bool Some = false;
  for (int Fd; Door >= 0 && (Fd = accept4(Door, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
    if (cm::sameUser(Fd))
      Lines.push_back({Fd, std::nullopt});
    else
      ::close(Fd);
  std::erase_if(Lines, [&](Line &L) {
    char Packet[sizeof(Greeting) + MostBytes];
    ssize_t Size;
    while ((Size = recv(L.Fd, Packet, sizeof Packet, 0)) > 0) {
      onGreeting(L, Packet, static_cast<size_t>(Size));
      Some = true;
    }
    if (Size < 0 && (errno == EAGAIN || errno == EINTR))
      return false;
    if (L.Other)
      forget(*L.Other, L.Fd);
    ::close(L.Fd);
    return Some = true;
  });
  IsAnswerDue = std::ranges::any_of(Peers, [](const auto &P) { return !P.second.Way; });
  return Some;
}

} // namespace rdma::sockets

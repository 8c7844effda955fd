// The life of a socket for datagrams, and what programs ask of it.
#include "runtime/sockets/Datagrams.h"

#include "runtime/cm/Ports.h"
#include "runtime/sockets/Greeting.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <rdma/rdma_cma.h>
#include <tuple>
#include <unistd.h>

namespace rdma::sockets {

namespace {

/// Outgoing slots, and receives. What comes when all receives are full is lost.
constexpr uint32_t Sends = 64, Receives = 256;
constexpr uint64_t Outgoing = uint64_t(1) << 32; ///< in the work request's number, beside its slot

auto keyOf(const Address &A) {
  std::array<uint8_t, 16> Host = {};
  if (A.Any.sa_family == AF_INET)
    memcpy(Host.data(), &A.V4.sin_addr, sizeof A.V4.sin_addr);
  else
    memcpy(Host.data(), &A.V6.sin6_addr, sizeof A.V6.sin6_addr);
  return std::tuple(A.Any.sa_family, cm::portOf(&A.Any), Host);
}

/// Whom a program names; without a host it is this machine.
Address target(const sockaddr *At) {
  Address To(At);
  if (cm::isWildcard(At) && To.Any.sa_family == AF_INET)
    To.V4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else if (cm::isWildcard(At))
    To.V6.sin6_addr = in6addr_loopback;
  return To;
}

} // namespace

Address::Address(const sockaddr *At) {
  memcpy(static_cast<void *>(this), At, cm::lengthOf(At));
  if (At->sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&V6.sin6_addr))
    return;
  sockaddr_in Plain = {};
  Plain.sin_family = AF_INET;
  Plain.sin_port = V6.sin6_port;
  memcpy(&Plain.sin_addr, V6.sin6_addr.s6_addr + 12, sizeof Plain.sin_addr);
  V6 = {};
  V4 = Plain;
}

Address Address::in(sa_family_t Family) const {
  Address Written = *this;
  if (Any.sa_family == Family || Family != AF_INET6)
    return Written;
  Written.V6 = {};
  Written.V6.sin6_family = AF_INET6;
  Written.V6.sin6_port = V4.sin_port;
  Written.V6.sin6_addr.s6_addr[10] = Written.V6.sin6_addr.s6_addr[11] = 0xff;
  memcpy(Written.V6.sin6_addr.s6_addr + 12, &V4.sin_addr, sizeof V4.sin_addr);
  return Written;
}

bool Address::operator<(const Address &Other) const { return keyOf(*this) < keyOf(Other); }

int Datagrams::create(int Family) {
  errno = 0;
  std::shared_ptr<Datagrams> S(new Datagrams);
  S->Family = S->Bound.Any.sa_family = static_cast<sa_family_t>(Family);
  if (!S->setUp())
    return failed(errno ? errno : ENODEV);
  enlist(S->Completions->fd, S);
  return S->Number;
}

/// The queue pair and its receives, on the first device.
bool Datagrams::setUp() {
  int Count = 0;
  ibv_context **Devices = rdma_get_devices(&Count);
  ibv_context *Device = Devices && Count ? Devices[0] : nullptr;
  rdma_free_devices(Devices);
  Domain = Device ? ibv_alloc_pd(Device) : nullptr;
  Completions = Domain ? ibv_create_comp_channel(Device) : nullptr;
  Queue = Completions ? ibv_create_cq(Device, Sends + Receives, nullptr, Completions, 0) : nullptr;
  if (!Queue)
    return false;
  doNotBlock(Completions->fd);
  ibv_qp_init_attr Init = {};
  Init.qp_type = IBV_QPT_UD;
  Init.send_cq = Init.recv_cq = Queue;
  Init.cap = {Sends, Receives, 1, 1, 0};
  Pair = ibv_create_qp(Domain, &Init);
  size_t Size = (Sends + Receives) * DatagramSlot;
  Memory = static_cast<char *>(aligned_alloc(4096, Size));
  Region =
      Pair && Memory ? ibv_reg_mr(Domain, Memory, Size, static_cast<int>(IBV_ACCESS_LOCAL_WRITE)) : nullptr;
  if (!Region)
    return false;
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_INIT;
  A.port_num = 1;
  A.qkey = Key;
  if (ibv_modify_qp(Pair, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY))
    return false;
  for (uint32_t I = 0; I < Receives; ++I)
    postReceive(I);
  for (uint32_t I = 0; I < Sends; ++I)
    FreeSlots.push_back(I);
  A.qp_state = IBV_QPS_RTR;
  ibv_qp_attr B = A;
  B.qp_state = IBV_QPS_RTS;
  return !ibv_modify_qp(Pair, &A, IBV_QP_STATE) && !ibv_modify_qp(Pair, &B, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

Datagrams::~Datagrams() {
  if (Pair)
    ibv_destroy_qp(Pair);
  for (auto &[At, P] : Peers)
    if (P.Way)
      ibv_destroy_ah(P.Way);
  if (Queue)
    ibv_destroy_cq(Queue);
  if (Region)
    ibv_dereg_mr(Region);
  free(Memory);
  for (const Line &L : Lines)
    ::close(L.Fd);
  if (Door >= 0)
    ::close(Door);
  if (Completions)
    ibv_destroy_comp_channel(Completions);
  if (Domain)
    ibv_dealloc_pd(Domain);
}

char *Datagrams::slot(uint32_t I) const { return Memory + I * size_t(DatagramSlot); }

void Datagrams::postReceive(uint32_t Slot) {
  ibv_sge Where = {reinterpret_cast<uint64_t>(slot(Sends + Slot)), DatagramSlot, Region->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Slot;
  Wr.sg_list = &Where;
  Wr.num_sge = 1;
  ibv_post_recv(Pair, &Wr, &Bad);
}

int Datagrams::bind(const sockaddr *At) {
  std::lock_guard Held(Lock);
  if (Door >= 0 || !At || At->sa_family != Family)
    return failed(EINVAL);
  if (int Error = cm::checkLocal(At))
    return failed(Error);
  Address Wanted(At);
  Door = cm::holdPort(cm::PortSpace::Datagrams, &Wanted.Any, IsOneFamily);
  if (Door < 0)
    return -1;
  Bound = Wanted;
  return ::listen(Door, SOMAXCONN);
}

/// A port of its own for who has not asked for one.
bool Datagrams::bindAny() {
  if (Door >= 0)
    return true;
  Door = cm::holdPort(cm::PortSpace::Datagrams, &Bound.Any, IsOneFamily);
  return Door >= 0 && !::listen(Door, SOMAXCONN);
}

/// The fabric ends at this machine.
bool Datagrams::isReachable(const Address &To) const {
  errno = cm::checkLocal(&To.Any);
  if (errno == EADDRNOTAVAIL)
    errno = ENETUNREACH;
  return !errno;
}

bool Datagrams::sourceTo(const Address &To, Address &Own) const {
  Own = Bound;
  if (!cm::isWildcard(&Bound.Any))
    return true;
  sockaddr_storage From;
  errno = cm::sourceFor(&To.Any, From);
  if (errno)
    return false;
  Own = Address(reinterpret_cast<sockaddr *>(&From));
  cm::setPort(&Own.Any, cm::portOf(&Bound.Any));
  return true;
}

int Datagrams::connect(const sockaddr *To) {
  std::lock_guard Held(Lock);
  if (To && To->sa_family == AF_UNSPEC) {
    Connected.reset();
    return 0;
  }
  if (!To || To->sa_family != Family)
    return failed(EAFNOSUPPORT);
  Address Other = target(To);
  if (!isReachable(Other) || !bindAny())
    return -1;
  Connected = Other;
  return 0;
}

int Datagrams::shutdown(int How) {
  std::lock_guard Held(Lock);
  if (!Connected)
    return failed(ENOTCONN);
  NoMoreReading |= How == SHUT_RD || How == SHUT_RDWR;
  NoMoreWriting |= How == SHUT_WR || How == SHUT_RDWR;
  return 0;
}

/// What was sent is on its way by itself; the card is done with the slots soon.
void Datagrams::finish(Guard &Held) {
  while (FreeSlots.size() < Sends) {
    takeCompletions();
    if (FreeSlots.size() < Sends)
      pause(Held);
  }
}

int Datagrams::address(bool OfPeer, sockaddr *To, socklen_t *Size) {
  std::lock_guard Held(Lock);
  if (OfPeer && !Connected)
    return failed(ENOTCONN);
  Address Own = Bound;
  if (!OfPeer && Connected)
    sourceTo(*Connected, Own);
  Address Told = (OfPeer ? *Connected : Own).in(Family);
  tell(&Told.Any, To, Size);
  return 0;
}

int Datagrams::setOneFamily(int Value) {
  if (Door >= 0)
    return failed(EINVAL);
  IsOneFamily = Value;
  return 0;
}

int Datagrams::bufferSize() const { return int(Sends * DatagramSlot); }

short Datagrams::ready(short Events) {
  std::lock_guard Held(Lock);
  progress();
  int Found = (!Incoming.empty() || NoMoreReading ? POLLIN : 0) | (!FreeSlots.empty() ? POLLOUT : 0);
  return static_cast<short>(Found & Events);
}

bool Datagrams::takeCompletions() {
  bool Some = false;
  ibv_wc Done[16];
  for (int Count; (Count = ibv_poll_cq(Queue, 16, Done)) > 0; Some = true)
    for (const ibv_wc &C : std::span(Done, static_cast<size_t>(Count))) {
      if (C.wr_id & Outgoing) {
        FreeSlots.push_back(static_cast<uint32_t>(C.wr_id));
        continue;
      }
      auto Slot = static_cast<uint32_t>(C.wr_id);
      const char *At = slot(Sends + Slot) + sizeof(ibv_grh);
      size_t Size = C.byte_len - sizeof(ibv_grh);
      Address From;
      if (C.status == IBV_WC_SUCCESS && Size >= sizeof From) {
        memcpy(&From, At, sizeof From);
        arrived(From, At + sizeof From, Size - sizeof From);
      }
      postReceive(Slot);
    }
  return Some;
}

/// Who does not read loses what comes.
void Datagrams::arrived(const Address &From, const char *At, size_t Size) {
  if (Incoming.size() < Receives && !NoMoreReading && (!Connected || *Connected == From))
    Incoming.push_back({From, std::string(At, Size)});
}

bool Datagrams::progress() {
  bool LooksAtAll = looksAtAll(), Some = false;
  if (LooksAtAll) {
    ibv_cq *From;
    void *Context;
    while (!ibv_get_cq_event(Completions, &From, &Context))
      ibv_ack_cq_events(From, 1);
  }
  Some = takeCompletions();
  if (LooksAtAll || IsAnswerDue)
    Some |= takeGreetings();
  return Some;
}

void Datagrams::watch(std::vector<pollfd> &To) {
  ibv_req_notify_cq(Queue, 0);
  To.push_back({Completions->fd, POLLIN, 0});
  if (Door >= 0)
    To.push_back({Door, POLLIN, 0});
  for (const Line &L : Lines)
    To.push_back({L.Fd, POLLIN, 0});
}

ssize_t Datagrams::receive(msghdr &To, int Flags) {
  Guard Held(Lock);
  if (!wait(Held, Flags, [&] { return !Incoming.empty() || NoMoreReading; }))
    return -1;
  if (Incoming.empty())
    return 0;
  const Arrived &A = Incoming.front();
  const char *From = A.Data.data();
  size_t Size = std::min(A.Data.size(), lengthOf(partsOf(To)));
  forStretch(partsOf(To), 0, Size, [&](char *At, size_t Length) {
    memcpy(At, From, Length);
    From += Length;
  });
  if (Address Sender = A.From.in(Family); To.msg_name)
    tell(&Sender.Any, To.msg_name, &To.msg_namelen);
  To.msg_flags = Size < A.Data.size() ? MSG_TRUNC : 0;
  auto Result = static_cast<ssize_t>(Flags & MSG_TRUNC ? A.Data.size() : Size);
  if (!(Flags & MSG_PEEK))
    Incoming.pop_front();
  return Result;
}

ssize_t Datagrams::send(const msghdr &From, int Flags) {
  Guard Held(Lock);
  size_t Size = lengthOf(partsOf(From));
  auto *Named = static_cast<const sockaddr *>(From.msg_name);
  if (!Named && !Connected)
    return failed(EDESTADDRREQ);
  if (Named && Named->sa_family != Family)
    return failed(EAFNOSUPPORT);
  if (NoMoreWriting)
    return failed(EPIPE);
  if (Size > MostBytes)
    return failed(EMSGSIZE);
  Address To = Named ? target(Named) : *Connected;
  if (!bindAny() || !wait(Held, Flags, [&] { return !FreeSlots.empty(); }))
    return -1;
  Peer *P = peerAt(To);
  if (!P)
    return errno ? -1 : static_cast<ssize_t>(Size);
  if (!P->Way)
    greet(P->Line, P->Own, &From);
  else if (!post(*P, From, Size))
    return -1;
  return static_cast<ssize_t>(Size);
}

bool Datagrams::post(const Peer &To, const msghdr &From, size_t Size) {
  uint32_t Slot = FreeSlots.back();
  char *Next = slot(Slot);
  memcpy(Next, &To.Own, sizeof To.Own);
  Next += sizeof To.Own;
  forStretch(partsOf(From), 0, Size, [&](const char *At, size_t Length) {
    memcpy(Next, At, Length);
    Next += Length;
  });
  ibv_sge Where = {reinterpret_cast<uint64_t>(slot(Slot)), static_cast<uint32_t>(sizeof To.Own + Size),
                   Region->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.wr_id = Outgoing | Slot;
  Wr.sg_list = &Where;
  Wr.num_sge = 1;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.opcode = IBV_WR_SEND;
  Wr.wr.ud = {To.Way, To.QueuePair, Key};
  errno = ibv_post_send(Pair, &Wr, &Bad);
  if (!errno)
    FreeSlots.pop_back();
  return !errno;
}

} // namespace rdma::sockets

// The calls on identifiers before they connect: addresses and routes, options, channels.
#include "runtime/cm/Id.h"

#include <cerrno>
#include <cstring>
#include <endian.h>
#include <random>
#include <unistd.h>

using namespace rdma::cm;

namespace rdma::cm {

Id *Id::create(Channel &Events, rdma_port_space Space, ibv_qp_type Type, void *Context) {
  auto *I = new Id;
  I->Base.channel = &Events.Base;
  I->Base.context = Context;
  I->Base.ps = Space;
  I->Base.qp_type = Type;
  I->Events = &Events;
  // From now on: a program may move a queue pair of its own on before it answers a request.
  I->Own.Psn = std::random_device()() & 0xffffff;
  Events.Ids.insert(I);
  return I;
}

namespace {

/// The address is now that of this identifier; 0 or an errno value.
int bindTo(Id &I, const sockaddr *At) {
  if (int Error = checkLocal(At))
    return Error;
  sockaddr_storage Bound = {};
  memcpy(&Bound, At, lengthOf(At));
  auto *Public = reinterpret_cast<sockaddr *>(&Bound);
  int Socket = holdPort(I.space(), Public, I.OneFamily);
  if (Socket < 0)
    return errno;
  if (int Error = isWildcard(Public) ? 0 : attachDevice(I)) {
    close(Socket);
    return Error;
  }
  I.Socket = Socket;
  I.Now = State::Bound;
  memcpy(I.source(), Public, lengthOf(Public));
  return 0;
}

/// Leaves the port as it is.
void setLoopback(sockaddr_storage &To, sa_family_t Family) {
  To.ss_family = Family;
  if (Family == AF_INET)
    reinterpret_cast<sockaddr_in &>(To).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else
    reinterpret_cast<sockaddr_in6 &>(To).sin6_addr = in6addr_loopback;
}

/// A target without a host is this machine.
void setTarget(Id &I, const sockaddr *To) {
  sockaddr_storage &Target = I.Base.route.addr.dst_storage;
  Target = {};
  memcpy(&Target, To, lengthOf(To));
  if (isWildcard(To))
    setLoopback(Target, To->sa_family);
}

/// Gives the identifier the address from which it will connect; 0 or an errno value.
int resolveSource(Id &I, const sockaddr *From) {
  sockaddr_storage Source = {};
  if (int Error = sourceFor(I.target(), Source)) {
    if (!isMulticast(I.target()))
      return Error;
    setLoopback(Source, I.target()->sa_family);
  }
  auto *Public = reinterpret_cast<sockaddr *>(&Source);
  if (I.Now == State::Idle) {
    if (From && !isWildcard(From))
      memcpy(Public, From, lengthOf(From));
    else if (From)
      setPort(Public, portOf(From));
    return bindTo(I, Public);
  }
  if (isWildcard(I.source())) {
    setPort(Public, portOf(I.source()));
    memcpy(I.source(), Public, lengthOf(Public));
  }
  return attachDevice(I);
}

void fillPath(Id &I) {
  delete[] I.Base.route.path_rec;
  I.Base.route.path_rec = new ibv_sa_path_rec[1]();
  I.Base.route.num_paths = 1;
  ibv_sa_path_rec &Path = I.Base.route.path_rec[0];
  ibv_port_attr Port = {};
  ibv_query_port(I.Base.verbs, I.Base.port_num, &Port);
  Path.sgid = I.Base.route.addr.addr.ibaddr.sgid;
  Path.slid = htobe16(Port.lid);
  Path.pkey = I.Base.route.addr.addr.ibaddr.pkey;
  Path.reversible = Path.numb_path = 1;
  Path.mtu_selector = Path.rate_selector = Path.packet_life_time_selector = 2; // exactly
  Path.mtu = static_cast<uint8_t>(Port.active_mtu);
  Path.rate = IBV_RATE_100_GBPS;
}

/// Routes need no asking: there is one.
int setRoute(Id &I) {
  if (I.Now != State::AddressResolved)
    return failed(EINVAL);
  fillPath(I);
  I.Now = State::RouteResolved;
  I.tell(RDMA_CM_EVENT_ROUTE_RESOLVED);
  return 0;
}

template <typename T> bool hasSize(size_t Size, bool AtLeast = false) {
  return AtLeast ? Size >= sizeof(T) : Size == sizeof(T);
}

int setIdOption(Id &I, int Name, const void *Value, size_t Size) {
  switch (Name) {
  case RDMA_OPTION_ID_TOS: // there is one class of service
    return hasSize<uint8_t>(Size) ? 0 : failed(EINVAL);
  case RDMA_OPTION_ID_REUSEADDR: // a port is free at once when its holder is gone
    return hasSize<int>(Size) && I.Now == State::Idle ? 0 : failed(EINVAL);
  case RDMA_OPTION_ID_AFONLY:
    if (!hasSize<int>(Size) || I.Now != State::Idle)
      return failed(EINVAL);
    I.OneFamily = *static_cast<const int *>(Value) != 0;
    return 0;
  case RDMA_OPTION_ID_ACK_TIMEOUT:
    if (!hasSize<uint8_t>(Size))
      return failed(EINVAL);
    I.AckTimeout = *static_cast<const uint8_t *>(Value);
    return 0;
  default:
    return failed(ENOSYS);
  }
}

} // namespace

int complete(Id &I, std::unique_lock<std::mutex> &Held) {
  if (!I.Sync)
    return 0;
  Held.unlock();
  if (I.Base.event)
    rdma_ack_cm_event(std::exchange(I.Base.event, nullptr));
  Event *E = I.Events->wait();
  if (!E)
    return -1;
  I.Base.event = &E->Base;
  if (!E->Base.status)
    return 0;
  return failed(E->Base.event == RDMA_CM_EVENT_REJECTED ? ECONNREFUSED : std::abs(E->Base.status));
}

} // namespace rdma::cm

extern "C" {

int rdma_destroy_id(rdma_cm_id *Public) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  I.silence();
  if (Public->event) {
    Guard.unlock();
    rdma_ack_cm_event(std::exchange(Public->event, nullptr));
    Guard.lock();
  }
  acknowledged().wait(Guard, [&] { return I.Acknowledged == I.Reported; });
  I.destroy();
  return 0;
}

int rdma_bind_addr(rdma_cm_id *Public, sockaddr *At) {
  Id &I = *Id::of(Public);
  if (!lengthOf(At))
    return failed(EINVAL);
  std::lock_guard Guard(theLock());
  if (I.Now != State::Idle)
    return failed(EINVAL);
  int Error = bindTo(I, At);
  return Error ? failed(Error) : 0;
}

int rdma_resolve_addr(rdma_cm_id *Public, sockaddr *From, sockaddr *To, int) {
  Id &I = *Id::of(Public);
  if (!lengthOf(To) || (From && !lengthOf(From)))
    return failed(EINVAL);
  std::unique_lock Guard(theLock());
  if (I.Now != State::Idle && I.Now != State::Bound)
    return failed(EINVAL);
  const sockaddr *Source = I.Now == State::Bound ? I.source() : From;
  if (Source && Source->sa_family != To->sa_family)
    return failed(EINVAL);
  setTarget(I, To);
  // The fabric ends at this machine, and every group is on it.
  if (!isMulticast(I.target()) && checkLocal(I.target())) {
    I.tell(RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
  } else if (int Error = resolveSource(I, From)) {
    return failed(Error);
  } else {
    I.Now = State::AddressResolved;
    I.tell(RDMA_CM_EVENT_ADDR_RESOLVED);
  }
  return complete(I, Guard);
}

int rdma_resolve_route(rdma_cm_id *Public, int) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  if (setRoute(I))
    return -1;
  return complete(I, Guard);
}

int rdma_set_option(rdma_cm_id *Public, int Level, int Name, void *Value, size_t Size) {
  Id &I = *Id::of(Public);
  std::lock_guard Guard(theLock());
  if (Level == RDMA_OPTION_ID)
    return setIdOption(I, Name, Value, Size);
  // A path of the program's own leads the same way.
  if (Level == RDMA_OPTION_IB && Name == RDMA_OPTION_IB_PATH)
    return setRoute(I);
  return failed(ENOSYS);
}

int rdma_migrate_id(rdma_cm_id *Public, rdma_event_channel *To) {
  Id &I = *Id::of(Public);
  if (I.Sync && Public->event)
    rdma_ack_cm_event(std::exchange(Public->event, nullptr));
  std::unique_lock Guard(theLock());
  if (I.Sync && !To)
    return failed(EINVAL);
  Channel *Target = To ? Channel::of(To) : Channel::create(), *Before = I.Events;
  if (!Target)
    return -1;
  I.moveTo(*Target);
  if (I.Sync)
    Before->destroy();
  I.Sync = !To;
  acknowledged().wait(Guard, [&] { return I.Acknowledged == I.Reported; });
  return 0;
}

__be16 rdma_get_src_port(rdma_cm_id *I) { return htobe16(portOf(&I->route.addr.src_addr)); }
__be16 rdma_get_dst_port(rdma_cm_id *I) { return htobe16(portOf(&I->route.addr.dst_addr)); }
}

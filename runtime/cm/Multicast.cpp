// Multicast groups of identifiers.
#include "runtime/device/Multicast.h"
#include "runtime/cm/Id.h"
#include "runtime/device/Gid.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <endian.h>
#include <random>

using namespace rdma::cm;
namespace multicast = rdma::device::multicast;

namespace {

/// The group of an address, as IPoIB maps it: RFC 4391, section 4. An IPv6 address that is a group of the
/// fabric already stands for itself, and no address for a group that nobody else has.
ibv_gid groupOf(const sockaddr *Address) {
  ibv_gid Gid = {};
  if (isWildcard(Address)) {
    std::random_device Random;
    Gid.global.subnet_prefix = htobe64(0xff12a01b00000000 | Random());
    Gid.global.interface_id = uint64_t(Random()) << 32 | Random();
  } else if (Address->sa_family == AF_INET) {
    uint32_t Host = ntohl(reinterpret_cast<const sockaddr_in *>(Address)->sin_addr.s_addr);
    Gid.global.subnet_prefix = htobe64(0xff12401bffff0000);
    Gid.global.interface_id = htobe64(Host & 0x0fffffff);
  } else {
    const in6_addr &Host = reinterpret_cast<const sockaddr_in6 *>(Address)->sin6_addr;
    memcpy(&Gid, &Host, sizeof Gid);
    if (Gid.raw[2] == 0xa0 && Gid.raw[3] == 0x1b)
      return Gid;
    const uint8_t Prefix[] = {0xff, 0x12, 0x60, 0x1b, 0xff, 0xff};
    memcpy(Gid.raw, Prefix, sizeof Prefix);
  }
  return Gid;
}

void tellJoined(Id &I, const Group &G, void *Context) {
  Event *E = I.tell(RDMA_CM_EVENT_MULTICAST_JOIN);
  if (!E)
    return;
  rdma_ud_param &P = E->Base.param.ud;
  P.private_data = Context;
  P.ah_attr.is_global = 1;
  P.ah_attr.grh.dgid = G.Gid;
  P.ah_attr.grh.hop_limit = 1;
  P.ah_attr.dlid = rdma::device::shownLid(multicast::lidOf(G.Gid));
  P.ah_attr.port_num = I.Base.port_num;
  P.qp_num = multicast::Everyone;
  P.qkey = DatagramKey;
}

int join(rdma_cm_id *Public, const sockaddr *Address, bool SendOnly, void *Context) {
  Id &I = *Id::of(Public);
  std::unique_lock Guard(theLock());
  if (!lengthOf(Address) || !I.Base.verbs || !I.isDatagram())
    return failed(EINVAL);
  Group G;
  memcpy(&G.Address, Address, lengthOf(Address));
  G.Gid = groupOf(Address);
  if (!multicast::isGroup(G.Gid))
    return failed(EINVAL);
  if (Public->qp && !SendOnly) {
    if (int Error = ibv_attach_mcast(Public->qp, &G.Gid, multicast::lidOf(G.Gid)))
      return failed(Error);
    G.IsAttached = true;
  }
  I.Groups.push_back(G);
  tellJoined(I, G, Context);
  return complete(I, Guard);
}

} // namespace

extern "C" {

int rdma_join_multicast(rdma_cm_id *I, sockaddr *Address, void *Context) {
  return join(I, Address, false, Context);
}

int rdma_join_multicast_ex(rdma_cm_id *I, rdma_cm_join_mc_attr_ex *Attr, void *Context) {
  constexpr uint32_t Needed = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
  if (Attr->comp_mask != Needed || Attr->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
    return failed(EINVAL);
  bool SendOnly = Attr->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
  return join(I, Attr->addr, SendOnly, Context);
}

int rdma_leave_multicast(rdma_cm_id *Public, sockaddr *Address) {
  Id &I = *Id::of(Public);
  std::lock_guard Guard(theLock());
  auto Left = std::find_if(I.Groups.begin(), I.Groups.end(), [&](const Group &G) {
    return lengthOf(Address) && !memcmp(&G.Address, Address, lengthOf(Address));
  });
  if (Left == I.Groups.end())
    return failed(EADDRNOTAVAIL);
  if (Left->IsAttached && Public->qp)
    ibv_detach_mcast(Public->qp, &Left->Gid, multicast::lidOf(Left->Gid));
  I.Groups.erase(Left);
  return 0;
}
}

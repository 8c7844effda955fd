// The addresses of a node, and how its port looks: as InfiniBand, or as Ethernet with RoCE.
//
// A node is its LID underneath, whatever it shows. On InfiniBand it shows that, and a link-local GID that
// holds it. With Ethernet it has no LID to show; its GIDs hold it: link-local and as an IPv4 address, each
// for both versions of RoCE.
#pragma once

#include <cstdint>
#include <infiniband/verbs.h>
#include <optional>

namespace rdma::device {

bool isEthernet();

/// How many GIDs a port has.
uint32_t gidCount();
/// Index below gidCount().
ibv_gid gidOf(uint32_t Lid, uint32_t Index = 0);
/// Of a GID of a node; 0 of others, groups among them.
uint8_t gidIndex(const ibv_gid &Gid);
uint32_t gidType(uint32_t Index); ///< an ibv_gid_type
/// 0: not of this fabric.
uint32_t lidOf(const ibv_gid &Gid);

/// The LID that the port shows.
inline uint16_t shownLid(uint32_t Lid) { return isEthernet() ? 0 : static_cast<uint16_t>(Lid); }
/// The node that an address leads to; 0: none.
uint32_t lidOf(const ibv_ah_attr &Path);
/// The address that leads to a node.
void setPath(ibv_ah_attr &To, uint32_t Lid);

} // namespace rdma::device

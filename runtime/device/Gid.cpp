#include "runtime/device/Gid.h"

#include "runtime/device/Context.h"

#include <cstring>
#include <endian.h>
#include <net/if.h>

namespace rdma::device {

namespace {

constexpr uint64_t LinkLocal = 0xfe80000000000000, Interface = 0x0252444d41000000;
constexpr uint64_t MappedV4 = 0x0000ffff0a520000; ///< 10.82, then the LID
constexpr uint64_t LidBits = 0xffff;

} // namespace

bool isEthernet() { return Settings::get().Ethernet; }

uint32_t gidCount() { return isEthernet() ? 4 : 1; }

ibv_gid gidOf(uint32_t Lid, uint32_t Index) {
  ibv_gid Gid = {};
  Gid.global.subnet_prefix = Index < 2 ? htobe64(LinkLocal) : 0;
  Gid.global.interface_id = htobe64((Index < 2 ? Interface : MappedV4) | Lid);
  return Gid;
}

uint8_t gidIndex(const ibv_gid &Gid) {
  for (uint8_t I = 0; I < gidCount(); ++I)
    if (ibv_gid Each = gidOf(lidOf(Gid), I); !memcmp(&Each, &Gid, sizeof Gid))
      return I;
  return 0;
}

uint32_t gidType(uint32_t Index) {
  return !isEthernet() ? IBV_GID_TYPE_IB : Index % 2 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1;
}

uint32_t lidOf(const ibv_gid &Gid) {
  uint64_t Id = be64toh(Gid.global.interface_id);
  bool IsV4 = isEthernet() && !Gid.global.subnet_prefix;
  return (Id & ~LidBits) == (IsV4 ? MappedV4 : Interface) ? static_cast<uint32_t>(Id & LidBits) : 0;
}

uint32_t lidOf(const ibv_ah_attr &Path) {
  if (Path.dlid && !isEthernet())
    return Path.dlid;
  return Path.is_global ? lidOf(Path.grh.dgid) : 0;
}

void setPath(ibv_ah_attr &To, uint32_t Lid) {
  To.dlid = shownLid(Lid);
  if (!isEthernet())
    return;
  To.is_global = 1;
  To.grh.dgid = gidOf(Lid);
  To.grh.hop_limit = 64;
}

} // namespace rdma::device

using namespace rdma::device;

extern "C" {

int ibv_query_gid(ibv_context *Public, uint8_t Port, int Index, ibv_gid *Gid) {
  if (Port != 1 || Index < 0 || static_cast<uint32_t>(Index) >= gidCount()) {
    errno = EINVAL;
    return -1;
  }
  *Gid = gidOf(nodeOf(Public).lid(), static_cast<uint32_t>(Index));
  return 0;
}

int _ibv_query_gid_ex(ibv_context *Public, uint32_t Port, uint32_t Index, ibv_gid_entry *Entry,
                      uint32_t Flags, size_t Size) {
  if (Port != 1 || Index >= gidCount() || Flags || Size < sizeof *Entry)
    return EINVAL;
  uint32_t Interface = isEthernet() ? if_nametoindex("lo") : 0;
  *Entry = {gidOf(nodeOf(Public).lid(), Index), Index, 1, gidType(Index), Interface};
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context *Public, ibv_gid_entry *Entries, size_t Max, uint32_t Flags,
                             size_t Size) {
  if (Max < gidCount())
    return -EINVAL;
  for (uint32_t I = 0; I < gidCount(); ++I)
    if (int Error = _ibv_query_gid_ex(Public, 1, I, Entries + I, Flags, Size))
      return -Error;
  return gidCount();
}

int ibv_query_gid_type(ibv_context *, uint8_t Port, unsigned Index, int *Type) {
  // In the words of sysfs, which has one for the first two.
  *Type = isEthernet() && gidType(Index) == IBV_GID_TYPE_ROCE_V2;
  return Port == 1 && Index < gidCount() ? 0 : -1;
}

int ibv_resolve_eth_l2_from_gid(ibv_context *, ibv_ah_attr *Attr, uint8_t Mac[6], uint16_t *Vlan) {
  uint32_t Lid = lidOf(*Attr);
  if (!isEthernet() || !Lid) {
    errno = EINVAL;
    return -1;
  }
  const uint8_t Address[6] = {2, 0x52, 0x44, 0x4d, static_cast<uint8_t>(Lid >> 8), static_cast<uint8_t>(Lid)};
  memcpy(Mac, Address, sizeof Address);
  if (Vlan)
    *Vlan = 0xffff; // none
  return 0;
}
}

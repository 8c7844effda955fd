// The device behind every address of this machine.
#include "runtime/cm/Id.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <endian.h>
#include <unistd.h>

using namespace rdma::cm;

namespace rdma::cm {

namespace {

/// What identifiers have of the first device.
struct OpenDevices {
  std::vector<ibv_context *> All;
  ibv_pd *Domain = nullptr;
  int MaxResources = 0;
};

/// Opened once, under the lock; again in the child of a fork, which is a node of its own.
OpenDevices &openDevices() {
  static OpenDevices The;
  static pid_t Opener = 0;
  if (!The.All.empty() && Opener == getpid())
    return The;
  Opener = getpid();
  The = {};
  int Count = 0;
  ibv_device **List = ibv_get_device_list(&Count);
  for (int I = 0; I < Count; ++I)
    if (ibv_context *Each = ibv_open_device(List[I]))
      The.All.push_back(Each);
  ibv_free_device_list(List);
  if (The.All.empty())
    return The;
  The.Domain = ibv_alloc_pd(The.All[0]);
  ibv_device_attr Limits = {};
  ibv_query_device(The.All[0], &Limits);
  The.MaxResources = std::min(Limits.max_qp_rd_atom, Limits.max_qp_init_rd_atom);
  return The;
}

} // namespace

int maxResources() { return openDevices().MaxResources; }

int attachDevice(Id &I) {
  OpenDevices &D = openDevices();
  if (D.All.empty())
    return ENODEV;
  I.Base.verbs = D.All[0];
  if (!I.Base.pd)
    I.Base.pd = D.Domain;
  I.Base.port_num = 1;
  rdma_ib_addr &Address = I.Base.route.addr.addr.ibaddr;
  Address.pkey = htobe16(0xffff);
  ibv_query_gid(D.All[0], 1, 0, &Address.sgid);
  return 0;
}

} // namespace rdma::cm

extern "C" {

ibv_context **rdma_get_devices(int *Count) {
  std::lock_guard Guard(theLock());
  const std::vector<ibv_context *> &All = openDevices().All;
  auto **List = static_cast<ibv_context **>(calloc(All.size() + 1, sizeof(ibv_context *)));
  if (!List)
    return nullptr;
  std::copy(All.begin(), All.end(), List);
  if (Count)
    *Count = static_cast<int>(All.size());
  return List;
}

void rdma_free_devices(ibv_context **List) { free(List); }

const char *rdma_event_str(rdma_cm_event_type Type) {
  static const char *const Names[] = {
      "RDMA_CM_EVENT_ADDR_RESOLVED",  "RDMA_CM_EVENT_ADDR_ERROR",      "RDMA_CM_EVENT_ROUTE_RESOLVED",
      "RDMA_CM_EVENT_ROUTE_ERROR",    "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE",
      "RDMA_CM_EVENT_CONNECT_ERROR",  "RDMA_CM_EVENT_UNREACHABLE",     "RDMA_CM_EVENT_REJECTED",
      "RDMA_CM_EVENT_ESTABLISHED",    "RDMA_CM_EVENT_DISCONNECTED",    "RDMA_CM_EVENT_DEVICE_REMOVAL",
      "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE",
      "RDMA_CM_EVENT_TIMEWAIT_EXIT"};
  return static_cast<size_t>(Type) < sizeof Names / sizeof *Names ? Names[Type] : "UNKNOWN EVENT";
}

int rdma_set_local_ece(rdma_cm_id *I, ibv_ece *Ece) {
  if (!I || I->qp || !Ece || !Ece->vendor_id || Ece->comp_mask)
    return failed(EINVAL);
  Id::of(I)->LocalEce = *Ece;
  return 0;
}

int rdma_get_remote_ece(rdma_cm_id *I, ibv_ece *Ece) {
  if (!I || I->qp || !Ece)
    return failed(EINVAL);
  *Ece = {Id::of(I)->Other.EceVendor, Id::of(I)->Other.EceOptions, 0};
  return 0;
}
}

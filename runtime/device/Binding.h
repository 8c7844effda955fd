// Memory windows: keys that are bound to a part of a region, with rights of their own, by a request of a send
// queue, and that are invalidated likewise, by the owner's requests or by its peer's.
//
// A window has an entry in the table of regions, of a protection domain that is nobody's: so what looks a
// region up passes it by. A request that names a window is carried out as one that names the region, from
// when it is admitted on: what is under way then is not stopped by an invalidation, and deregistering the
// region waits for it as for all others.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device::binding {

/// A part of a region that a window is bound to, as peers name it; no key: there is none.
struct Part {
  uint32_t Key = 0, Domain = 0;
  uint64_t Address = 0;
};
/// What a request that comes to this queue pair may do with a window that it names, in that protection
/// domain.
Part find(SharedSegment &Owner, const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
          uint32_t Access, uint32_t Domain);

inline bool isLocal(ibv_wr_opcode Opcode) { return Opcode == IBV_WR_BIND_MW || Opcode == IBV_WR_LOCAL_INV; }
/// Fills a request that binds. Invalidating ones have the key in Imm.
void fill(Request &R, uint32_t NewKey, const ibv_mw_bind_info &Info);
/// Carries out one that is local.
Result execute(QueuePair &Qp, const Request &R);

/// A window of type 2 that is bound to this queue pair is so no longer. False when there is none of that key.
bool invalidate(SharedSegment &Owner, const SharedQueuePair &By, uint32_t Key);

/// Whether a window is bound to the region.
bool isBound(Node &N, uint32_t Key);

} // namespace rdma::device::binding

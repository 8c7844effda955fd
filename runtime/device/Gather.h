// The local side of a request that is carried out at once.
#pragma once

#include "runtime/device/Receive.h"

namespace rdma::device {

/// The scatter-gather list, to be used while the queue pair is locked; inline data that was copied as one
/// entry.
struct LocalList {
  uint32_t Count = 0;
  Chunk Entries[MaxSge];
};

[[gnu::always_inline]] inline bool openLocal(QueuePair &Qp, const Request &R, uint32_t Access,
                                             LocalList &List) {
  if (!R.Inline.empty()) {
    List.Entries[List.Count++] = {const_cast<char *>(R.Inline.data()), R.Length};
    return true;
  }
  bool IsInline = R.Flags & IBV_SEND_INLINE;
  for (uint32_t I = 0; I < R.SgeCount; ++I) {
    const ibv_sge &S = R.Sges[I];
    if (!S.length)
      continue;
    char *Data = IsInline ? reinterpret_cast<char *>(S.addr)
                          : Qp.Home.own().find(S.lkey, S.addr, S.length, Access, Qp.Domain).Mapped;
    if (!Data)
      return false;
    List.Entries[List.Count++] = {Data, S.length};
  }
  return true;
}

} // namespace rdma::device

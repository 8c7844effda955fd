// Multicast groups of datagrams: a message to a group reaches every queue pair of the fabric that is attached
// to it, the sender's own too unless it was created without that.
//
// Each node lists its members in its segment. The nodes of a fabric are found by their names (device/Node.h);
// nobody keeps a list of a group, so a process that dies leaves nothing behind.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device::multicast {

inline constexpr uint32_t FirstLid = 0xc000;   ///< of groups; below it stand nodes
inline constexpr uint32_t Everyone = 0xffffff; ///< the queue pair number of messages to a group

inline bool isGroup(const ibv_gid &Gid) { return Gid.raw[0] == 0xff; }
/// The LID that stands for the group; several groups may share one.
uint16_t lidOf(const ibv_gid &Group);

/// 0 or an errno value.
int attach(QueuePair &Qp, const ibv_gid &Group);
int detach(QueuePair &Qp, const ibv_gid &Group);
/// To any group.
bool isAttached(const QueuePair &Qp);

/// Calls Visit for each queue pair of the fabric that is attached.
template <typename Visitor> void forEachMember(Node &From, const ibv_gid &Group, Visitor Visit) {
  for (uint32_t Lid : From.everyLid())
    if (std::shared_ptr<Peer> Target = From.peer(Lid)) {
      SharedSegment &There = Target->segment();
      for (uint32_t I = 0, End = There.MembersEnd; I < End; ++I)
        if (uint32_t Number = There.Members[I].Number.load(std::memory_order_acquire);
            Number && !memcmp(&There.Members[I].Group, &Group, sizeof Group))
          Visit(*Target, Number);
    }
}

} // namespace rdma::device::multicast

#include "runtime/device/Multicast.h"

#include "runtime/device/Choices.h"

namespace rdma::device::multicast {

namespace {

/// Over the members of every node of this process.
std::mutex MembersLock;

SharedMember *find(SharedSegment &Segment, uint32_t Number, const ibv_gid &Group) {
  for (uint32_t I = 0; I < Segment.MembersEnd; ++I)
    if (SharedMember &M = Segment.Members[I]; M.Number == Number && !memcmp(&M.Group, &Group, sizeof Group))
      return &M;
  return nullptr;
}

SharedMember *freeMember(SharedSegment &Segment) {
  for (uint32_t I = 0; I < MaxMembers; ++I)
    if (!Segment.Members[I].Number) {
      Segment.MembersEnd = std::max(Segment.MembersEnd.load(), I + 1);
      return &Segment.Members[I];
    }
  return nullptr;
}

} // namespace

uint16_t lidOf(const ibv_gid &Group) {
  uint64_t Bits = scatterBits({Group.global.subnet_prefix, Group.global.interface_id});
  return static_cast<uint16_t>(FirstLid + Bits % (0xffff - FirstLid));
}

int attach(QueuePair &Qp, const ibv_gid &Group) {
  if (!Qp.isDatagram() || !isGroup(Group))
    return EINVAL;
  SharedSegment &Segment = Qp.Home.segment();
  std::lock_guard Guard(MembersLock);
  if (find(Segment, Qp.number(), Group))
    return 0;
  SharedMember *New = freeMember(Segment);
  if (!New)
    return ENOMEM;
  New->Group = Group;
  New->Number.store(Qp.number(), std::memory_order_release);
  return 0;
}

int detach(QueuePair &Qp, const ibv_gid &Group) {
  std::lock_guard Guard(MembersLock);
  SharedMember *Member = find(Qp.Home.segment(), Qp.number(), Group);
  if (!Member)
    return EINVAL;
  Member->Number = 0;
  return 0;
}

bool isAttached(const QueuePair &Qp) {
  SharedSegment &Segment = Qp.Home.segment();
  std::lock_guard Guard(MembersLock);
  for (uint32_t I = 0; I < Segment.MembersEnd; ++I)
    if (Segment.Members[I].Number == Qp.number())
      return true;
  return false;
}

} // namespace rdma::device::multicast

using namespace rdma::device;

extern "C" {

int ibv_attach_mcast(ibv_qp *Qp, const ibv_gid *Group, uint16_t) {
  return multicast::attach(*QueuePair::of(Qp), *Group);
}

int ibv_detach_mcast(ibv_qp *Qp, const ibv_gid *Group, uint16_t) {
  return multicast::detach(*QueuePair::of(Qp), *Group);
}
}

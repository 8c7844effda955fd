// How an endpoint begins and ends.
#include "Membership.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace rdma::objects {

namespace {

std::uint32_t depthOf(manager &M) { return std::max<std::uint32_t>(M.settings().depth, 8); }

} // namespace

endpoint::endpoint(manager &Manager)
    : Manager(Manager), Queues(Manager.nodes()), Depth(depthOf(Manager)),
      PlaceBits(static_cast<std::uint32_t>(std::bit_width(Depth - 1))),
      PlaceMask((std::uint64_t(1) << PlaceBits) - 1), SignaledMask(std::bit_floor(Depth / 4) - 1) {
  membership &Members = *Manager.Members;
  Acks.resize(std::size_t(Manager.nodes()) << PlaceBits);
  Lkey = Members.Mr->lkey;
  Words = takeWords();
  Slots = Words.words();
  Landing = Slots + slots;
  Cq = ibv_create_cq(Members.Verbs, static_cast<int>(Depth * Manager.nodes()), nullptr, nullptr, 0);
  if (!Cq)
    throw error(std::string("completion queue: ") + std::strerror(errno));
  for (node_id N = 0; N < Manager.nodes(); ++N)
    try {
      queue &Q = Queues[N];
      Q.Id = Members.connectData(N, Cq, Depth);
      Q.Qp = Q.Id->qp;
      Q.Limit = Depth;
      Q.Places = std::uint64_t(N) << PlaceBits;
    } catch (const error &) {
      release();
      throw;
    }
}

endpoint::~endpoint() {
  bool Arrived = Manager.health() != status::peer_lost && fence(Manager.all()) == status::ok;
  release();
  if (!Arrived) // nor is it known that nothing comes into its words any more
    return;
  std::fill_n(Slots, Words.size / sizeof(word), 0);
  std::lock_guard Guard(Manager.Members->Lock);
  Manager.Members->Spare.push_back(Words);
}

/// Memory of the arena stays, so that threads which come and go have to use the same again.
region endpoint::takeWords() {
  membership &Members = *Manager.Members;
  {
    std::lock_guard Guard(Members.Lock);
    if (!Members.Spare.empty()) {
      region Words = Members.Spare.back();
      Members.Spare.pop_back();
      return Words;
    }
  }
  return Manager.allocate((slots + Manager.nodes()) * sizeof(word));
}

void endpoint::release() {
  for (queue &Q : Queues) {
    abandon(Q);
    if (Q.Id) {
      rdma_destroy_qp(Q.Id);
      rdma_destroy_id(Q.Id);
    }
  }
  if (Cq)
    ibv_destroy_cq(Cq);
}

} // namespace rdma::objects

#include "rdma/objects/roster.h"

#include <algorithm>

namespace rdma::objects {

roster::roster(manager &Manager, std::span<const thread_id> Given)
    : Manager(Manager), Threads(Given.begin(), Given.end()), OfIndex(Manager.threads() + 1, none) {
  for (std::size_t I = 0; I < Threads.size(); ++I) {
    auto [Node, Index] = Threads[I];
    bool Helper = Index == manager::helper;
    if (Node >= Manager.nodes() || (!Helper && Index >= Manager.threads()))
      throw error("there is no thread " + std::to_string(Index) + " of node " + std::to_string(Node), {},
                  Node);
    if (std::find(Threads.begin(), Threads.begin() + static_cast<std::ptrdiff_t>(I), Threads[I]) !=
        Threads.begin() + static_cast<std::ptrdiff_t>(I)) // one of its places would never be filled
      throw error("thread " + std::to_string(Index) + " of node " + std::to_string(Node) + " is named twice",
                  {}, Node);
    Nodes.insert(Node);
    if (Node == Manager.me())
      OfIndex[Helper ? Manager.threads() : Index] = I;
  }
}

std::vector<thread_id> roster::everyone(const manager &Manager) {
  std::vector<thread_id> All;
  for (node_id N : Manager.all())
    for (unsigned I = 0; I < Manager.threads(); ++I)
      All.push_back({N, I});
  return All;
}

std::uint64_t roster::digest() const {
  std::uint64_t Digest = Threads.size();
  for (auto [Node, Index] : Threads)
    Digest = (Digest ^ Node ^ std::uint64_t(Index) << 32) * 0x9e3779b97f4a7c15 + (Digest >> 29);
  return Digest;
}

std::size_t roster::mine() const {
  unsigned Index = Manager.thread_index();
  return OfIndex[Index == manager::helper ? Manager.threads() : Index];
}

void require_atomics(const channel &Channel) {
  if (Channel.owner().atomics() == IBV_ATOMIC_NONE)
    throw error("channel '" + Channel.name() + "': the device has no remote atomics", Channel.name());
}

} // namespace rdma::objects

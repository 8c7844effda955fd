#include "Membership.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rdma::objects {

channel::channel(std::string Name, manager &Manager, node_set Peers)
    : Name(std::move(Name)), Manager(Manager), Peers(Peers & Manager.all()) {
  if (this->Name.empty() || this->Name.size() > 512 ||
      std::any_of(this->Name.begin(), this->Name.end(), [](unsigned char C) { return std::iscntrl(C); }))
    throw error("a channel's name has 1 to 512 characters, none of them a control character");
}

channel::~channel() { Manager.Members->remove(*this); }

region channel::own(const std::string &Region, std::size_t Size) {
  for (const offer &O : Offers)
    if (O.Name == Region)
      throw error("region '" + Region + "' exists already in channel '" + Name + "'", Name);
  Offers.push_back({Region, Manager.allocate(Size)});
  return Offers.back().At;
}

const remote &channel::other(node_id Node, const std::string &Region, std::size_t Size) {
  require_node(Node);
  remote Found = {Node, 0, 0, Size};
  if (Node == Manager.me())
    for (const offer &O : Offers)
      if (O.Name == Region && O.At.size == Size)
        Found = {Node, reinterpret_cast<std::uintptr_t>(O.At.data), Manager.Members->Mr->rkey, Size};
  if (Node == Manager.me() && !Found.address)
    throw error("channel '" + Name + "' has no region '" + Region + "' of that size on this node", Name);
  Wishes.push_back({Region, Size, Found});
  return Wishes.back().Found;
}

void channel::join() {
  if (!std::exchange(Joined, true))
    Manager.Members->add(*this);
}

void channel::require_node(node_id Node) const {
  if (Node >= Manager.nodes())
    throw error("channel '" + Name + "': there is no node " + std::to_string(Node), Name, Node);
}

bool channel::ready() { return Manager.Members->ready(*this); }

error channel::failure(status S) const {
  std::string Why = S == status::peer_lost || S == status::stopped ? Manager.why() : "";
  return {"channel '" + Name + "': " + to_string(S) + (Why.empty() ? "" : ": " + Why), Name, Manager.lost()};
}

void channel::refuse(const std::string &What, node_id Peer) const {
  throw error("channel '" + Name + "': node " + std::to_string(Peer) + " " + What, Name, Peer);
}

} // namespace rdma::objects

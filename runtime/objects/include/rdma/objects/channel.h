// Endpoints of an object meet by name. A channel has regions of this node's memory, tells every node their
// addresses, and learns those of its peers; objects are channels, and a channel may have channels below it.
#pragma once

#include "rdma/objects/manager.h"

#include <deque>

namespace rdma::objects {

class channel {
public:
  /// Top level, or below a parent: the full name is parent/name. Peers: the nodes that must have the channel
  /// too.
  channel(std::string Name, manager &Manager, node_set Peers);
  channel(std::string Name, manager &Manager) : channel(std::move(Name), Manager, Manager.all()) {}
  channel(const channel &Parent, const std::string &Name, node_set Peers)
      : channel(Parent.name() + "/" + Name, Parent.owner(), Peers) {}
  channel(const channel &) = delete;
  channel &operator=(const channel &) = delete;
  virtual ~channel();

  /// Memory of this node that the peers reach by this name. Throws error: the name is used, no memory is
  /// left.
  region own(const std::string &Region, std::size_t Size);
  /// The region of that name on a node; filled in when the channel is ready. This node's own must exist
  /// already. Throws error: it does not, there is no such node.
  const remote &other(node_id Node, const std::string &Region, std::size_t Size);
  /// Throws error when there is no such node.
  void require_node(node_id Node) const;
  /// Something that every peer must say the same of, such as which node is the host; nobody may say more than
  /// another.
  void agree(const std::string &What, std::uint64_t Value) { Agreed.push_back({What, Value}); }
  /// Tells the peers, once, after own and other. Throws error: the name was used before on this node.
  void join();
  /// Whether every peer has answered. Throws error: a size differs, a region is not there, they do not
  /// agree.
  bool ready();

  const std::string &name() const { return Name; }
  /// What to throw for a status that is not ok: the object, why, and which node it is about.
  error failure(status S) const;
  manager &owner() const { return Manager; }
  node_id me() const { return Manager.me(); }
  node_set peers() const { return Peers; }

private:
  friend struct membership;
  struct offer {
    std::string Name;
    region At;
  };
  struct wish {
    std::string Name;
    std::size_t Size;
    remote Found;
  };
  struct promise {
    std::string What;
    std::uint64_t Value;
  };
  [[noreturn]] void refuse(const std::string &What, node_id Peer) const;

  std::string Name;
  manager &Manager;
  node_set Peers;
  bool Joined = false;
  std::deque<offer> Offers;
  std::deque<wish> Wishes;
  std::deque<promise> Agreed;
};

} // namespace rdma::objects

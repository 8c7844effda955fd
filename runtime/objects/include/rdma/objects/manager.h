// A node's membership: it knows all nodes, connects every thread to each of them, owns memory and the set-up
// messages.
//
//   rdma::objects::manager Here({{0, "10.0.0.1:7000"}, {1, "10.0.0.2:7000"}}, 0);
//   rdma::objects::barrier Meet("meet", Here);
//   Here.wait_for_ready(5s);
//   Here.attach_thread();
//
// Nodes may start in any order. The set of nodes is fixed: when one is lost, calls that wait, and every
// operation from then on, return peer_lost. The destructor waits until every node has come to its own (an
// exception that passes it ends the membership at once).
#pragma once

#include "rdma/objects/endpoint.h"

#include <chrono>
#include <map>
#include <memory>

namespace rdma::objects {

struct options {
  unsigned threads = 1;                       ///< of each node that attach_thread; the same on every node
  std::size_t memory = std::size_t(16) << 20; ///< bytes of the arena
  std::uint32_t depth = 256;                  ///< requests of a queue pair that are not complete yet
  bool huge_pages = false;                    ///< arena in huge pages; set-up fails when there are none
  std::chrono::milliseconds leave{30000};     ///< how long the destructor waits for the other nodes
};

class channel;
struct membership; // what set-up uses, in Membership.h

class manager {
public:
  /// Hosts: "ADDRESS:PORT" of every node, numbered from 0. Listens on this node's. Throws error.
  manager(const std::map<node_id, std::string> &Hosts, node_id Me, const options &Options = {});
  manager(const manager &) = delete;
  manager &operator=(const manager &) = delete;
  ~manager();

  /// Waits until every node is here, and every channel made so far has met its peers. Throws error: a node
  /// that is missing, a name that a peer does not have, regions whose sizes differ.
  void wait_for_ready(std::chrono::milliseconds Timeout);

  /// Gives the calling thread its endpoint, and a number that no other attached thread of this node has: the
  /// lowest, or the one asked for. Throws error: there is none, it is another's; std::logic_error: it has one
  /// already.
  void attach_thread();
  void attach_thread(unsigned Index);
  /// The same for a thread that is not counted as one of the node's, such as a tracker.
  void attach_helper();
  /// Before the thread ends, if another one is to have its number.
  void detach_thread();

  node_id me() const { return Me; }
  unsigned nodes() const { return Nodes; }
  unsigned threads() const { return Options.threads; }
  node_set all() const { return node_set::first(Nodes); }
  const options &settings() const { return Options; }
  ibv_atomic_cap atomics() const { return Atomics; }
  /// Position of a thread among all threads of all nodes.
  std::size_t position(thread_id T) const { return std::size_t(T.node) * Options.threads + T.index; }

  /// The calling thread's endpoint and index. Throws std::logic_error when it is not attached.
  endpoint &here();
  unsigned thread_index();
  static constexpr unsigned helper = ~0u;

  status fence(node_set Nodes) { return here().fence(Nodes); }
  status fence() { return fence(all()); }

  /// ok, or why nobody should go on waiting.
  status health() const { return Health.load(std::memory_order_relaxed); }
  /// Ends every wait of this node with status::stopped.
  void stop();
  /// The same, for a reason that leaves this node unable to do its part (no memory for a tracker, say). Every
  /// other node is told, and ends its waits as if this one were lost; a wait_for_ready throws error.
  void give_up(const std::string &Why);
  /// Why this node or another one gave up, or which one is gone: what this node knew first of all. Empty when
  /// nothing has happened.
  std::string why() const;

  /// Part of the arena, zero, aligned to a cache line, until the manager goes. Throws error when it is used
  /// up.
  region allocate(std::size_t Size);
  /// An endpoint of one's own, for an object that several threads push through, one at a time.
  std::unique_ptr<endpoint> make_endpoint() { return std::make_unique<endpoint>(*this); }

private:
  friend class endpoint;
  friend class channel;
  friend struct membership;
  /// Also of one that was stopped: later operations fail. How: what was wrong with an operation, if something
  /// was; else the node has gone, or left before this one came to its end.
  void lose(node_id Who, const char *How = nullptr, bool Left = false);
  node_id lost() const; ///< the first of them; error::no_peer
  void bind(unsigned Index);
  void bindNumber(unsigned Index); ///< helper: any
  void requireUnattached() const;

  node_id Me;
  unsigned Nodes;
  options Options;
  ibv_atomic_cap Atomics = IBV_ATOMIC_NONE;
  std::atomic<status> Health{status::ok};
  struct losses;
  std::unique_ptr<losses> Losses;
  std::uint64_t Serial;
  int Unwinding; ///< exceptions that were on their way when this began
  std::unique_ptr<membership> Members;
};

/// Gives the processor away, the longer the more often it was called in vain: first a yield, then a sleep.
void rest(std::uint64_t Turn);

/// A loop that waits for memory that somebody else writes: polls, so that a queue never stands still, and
/// looks whether somebody is gone.
class waiting {
public:
  explicit waiting(endpoint &Endpoint) : Endpoint(Endpoint), Manager(Endpoint.owner()) {}
  /// To be called once for each look that was in vain.
  status step();
  /// For loops whose looks are remote operations: the same, and a pause that grows with the distance to one's
  /// turn.
  status back_off(std::uint64_t Distance);
  /// The last look was not in vain.
  void again() { Turn = 0; }

private:
  endpoint &Endpoint;
  manager &Manager;
  unsigned Turn = 0;
};

/// The same by its paper's name: LOCO's global fence of the calling thread.
inline status global_fence(manager &M, node_set Nodes) { return M.fence(Nodes); }

} // namespace rdma::objects

#include "rdma/objects/operations.h"

// A barrier of threads of all nodes (LOCO's, with the fence whose absence was its first published bug).
//
// wait: everything a participant did towards the scope before is in memory when any participant is through
// (stamps aGF for every node of the scope, then aCR). With the scope all_nodes, what one participant learned
// before the barrier holds for the others behind it; with participants only the participants' own nodes are
// covered, and orders do not chain through other nodes. wait_nofence: only that all have come, as MPI_Barrier
// promises.
//
// Cost: wait a round trip (the fence) and a half, wait_nofence half a round trip; no remote atomics.
#pragma once

#include "rdma/objects/roster.h"

namespace rdma::objects {

enum class scope { all_nodes, participants };

class barrier : public channel {
public:
  barrier(std::string Name, manager &Manager, scope Scope = scope::all_nodes)
      : barrier(std::move(Name), Manager, roster::everyone(Manager), Scope) {}
  barrier(std::string Name, manager &Manager, std::span<const thread_id> Participants,
          scope Scope = scope::all_nodes);

  /// not_participant, peer_lost, stopped.
  status wait();
  status wait_nofence();

private:
  roster Who;
  node_set Covered;
  word *Counters; ///< how often each participant came, as this node knows; a line each
  std::vector<const remote *> Copies;
};

} // namespace rdma::objects

// Accounts striped over the nodes, with transfers that lock both (LOCO's transactional locking).
//
// Account A is on node A mod nodes, and its lock too: with the lock on the data's node a release needs no
// fence. The sum of all accounts is the same for everyone who holds their locks. Cost of a transfer: 2 round
// trips for each lock, 1 to read both; writing and releasing cost none.
#pragma once

#include "rdma/objects/table.h"

namespace rdma::objects {

class accounts : public channel {
public:
  /// Locks: of each node, at most one for each account there.
  accounts(std::string Name, manager &Manager, std::size_t Count, std::int64_t Initial,
           std::size_t Locks = 341);
  std::size_t size() const { return Count; }
  /// ok, peer_lost, stopped; std::out_of_range for an account that is not there. Balances may become
  /// negative.
  status transfer(std::size_t From, std::size_t To, std::int64_t Amount);
  status balance(std::size_t Account, std::int64_t &Value);
  /// Both at one time.
  status balances(std::size_t First, std::size_t Second, std::int64_t &A, std::int64_t &B);
  /// This node's accounts, with no lock: right when nobody transfers.
  std::int64_t sum_here() const;

private:
  struct both {
    std::size_t Locks[2];
    unsigned Count;
    word Tickets[2];
  };
  remote at(std::size_t Account) const {
    return Balances[Account % owner().nodes()]->word_at(Account / owner().nodes());
  }
  std::size_t lockOf(std::size_t Account) const;
  status acquire(both &Held);
  status release(both &Held);
  status readBoth(std::size_t First, std::size_t Second, word &A, word &B);

  std::size_t Count, LocksOfNode;
  lock_table Locks;
  region Mine;
  std::vector<const remote *> Balances;
};

} // namespace rdma::objects

// Many ticket locks in one channel, striped over the nodes: lock I is on node I mod nodes. Used by the
// key-value store and the accounts.
#pragma once

#include "rdma/objects/locks.h"

namespace rdma::objects {

class lock_table : public channel {
public:
  lock_table(const channel &Parent, const std::string &Name, std::size_t Locks);
  std::size_t size() const { return Locks; }
  node_id host(std::size_t Lock) const { return static_cast<node_id>(Lock % owner().nodes()); }
  /// Ticket: to be given back by release.
  status acquire(std::size_t Lock, word &Ticket);
  /// The two steps of acquire, for who waits for several at a time: a number into *Ticket, and, until it is
  /// that number's turn, looks whose turn it is into *Served. Both in the arena. The first look may be under
  /// way with the draw, in whatever order they happen: before the number's turn has come it is nobody's turn
  /// by that number, and once it has, it stays until release.
  status draw(std::size_t Lock, word *Ticket, ack &Done) {
    return owner().here().fetch_add(Ticket, at(Lock), 1, Done);
  }
  status look(std::size_t Lock, word *Served, ack &Done) {
    return owner().here().get(Served, at(Lock).word_at(1), sizeof(word), Done);
  }
  /// Behind everything the caller did towards the lock's node, and gets done there.
  status release(std::size_t Lock, word Ticket);
  /// The same by an atomic, which is behind all that this thread has put to the lock's node, in memory: when
  /// it is done, that is there. Nothing of the critical section is under way but puts to that node. *Was: in
  /// the arena, of no use.
  status release_behind_puts(std::size_t Lock, word *Was, ack &Done) {
    return owner().here().fetch_add(Was, at(Lock).word_at(1), 1, Done);
  }

private:
  static constexpr std::size_t LockWords = line_size / sizeof(word); ///< dispenser, served
  std::size_t Locks;
  std::vector<const remote *> Tables;
  remote at(std::size_t Lock) const {
    return Tables[host(Lock)]->word_at(Lock / owner().nodes() * LockWords);
  }
};

} // namespace rdma::objects

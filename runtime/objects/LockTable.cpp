#include "rdma/objects/table.h"

namespace rdma::objects {

lock_table::lock_table(const channel &Parent, const std::string &Name, std::size_t Locks)
    : channel(Parent, Name, Parent.peers()), Locks(Locks) {
  require_atomics(*this);
  if (!Locks)
    throw error("channel '" + name() + "' needs a lock", name());
  unsigned Nodes = owner().nodes();
  std::size_t Size = bytes_of(Locks / Nodes + (Locks % Nodes != 0), line_size);
  agree("locks", Locks);
  own("locks", Size);
  for (node_id N : owner().all())
    Tables.push_back(&other(N, "locks", Size));
  join();
}

status lock_table::acquire(std::size_t Lock, word &Ticket) {
  endpoint &Here = owner().here();
  const remote Words = at(Lock);
  if (status S = Here.fetch_add(Ticket, Words, 1); S != status::ok)
    return S;
  waiting Wait(Here);
  for (;;) {
    word Served;
    if (status S = Here.load(Served, Words.word_at(1)); S != status::ok || Served == Ticket)
      return S;
    if (status S = Wait.back_off(Ticket - Served); S != status::ok)
      return S;
  }
}

status lock_table::release(std::size_t Lock, word Ticket) {
  return owner().here().put_word(at(Lock).word_at(1), Ticket + 1, nullptr, fenced);
}

} // namespace rdma::objects

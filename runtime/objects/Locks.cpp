#include "rdma/objects/locks.h"

namespace rdma::objects {

namespace {
constexpr std::size_t Stride = line_size / sizeof(word);
}

weak_lock::weak_lock(std::string Name, manager &Manager, node_id Host)
    : channel(std::move(Name), Manager), Who(Manager, roster::everyone(Manager)), Held(Manager.threads()) {
  require_atomics(*this);
  std::size_t Size = Who.size() * line_size;
  agree("host", Host);
  Released = own("released", Size).words();
  if (me() == Host)
    own("dispenser", line_size);
  Dispenser = &other(Host, "dispenser", line_size);
  for (node_id N : Manager.all())
    Copies.push_back(&other(N, "released", Size));
  join();
}

/// Tickets are given back in order, so that each number is written once and stays until its taker's next
/// release.
bool weak_lock::released(word Ticket) const {
  for (std::size_t I = 0; I < Who.size(); ++I)
    if (load(Released[I * Stride]) == Ticket)
      return true;
  return false;
}

status weak_lock::acquire() {
  if (Who.mine() == roster::none)
    return status::not_participant;
  endpoint &Here = owner().here();
  word Ticket;
  if (status S = Here.fetch_add(Ticket, *Dispenser, 1); S != status::ok)
    return S;
  waiting Wait(Here);
  while (!released(Ticket))
    if (status S = Wait.step(); S != status::ok)
      return S;
  Held[owner().thread_index()].Value = Ticket;
  return status::ok;
}

status weak_lock::release() {
  std::size_t Mine = Who.mine();
  if (Mine == roster::none)
    return status::not_participant;
  endpoint &Here = owner().here();
  word Next = Held[owner().thread_index()].Value + 1;
  // Inline: the next release of this thread cannot change what is sent. The other nodes before this one:
  // behind the own store a thread of this node may go on at once, also to leave the lock again.
  for (node_id N : owner().all().without(me()))
    if (status S = Here.put_word(Copies[N]->word_at(Mine * Stride), Next); S != status::ok)
      return S;
  store(Released[Mine * Stride], Next);
  return status::ok;
}

ticket_lock::ticket_lock(std::string Name, manager &Manager, node_id Host, strength Strength)
    : channel(std::move(Name), Manager), Host(Host), Strength(Strength), Held(Manager.threads() + 1) {
  setUp();
}

ticket_lock::ticket_lock(const channel &Parent, const std::string &Name, node_id Host, strength Strength)
    : channel(Parent, Name, Parent.peers()), Host(Host), Strength(Strength),
      Held(Parent.owner().threads() + 1) {
  setUp();
}

void ticket_lock::setUp() {
  require_atomics(*this);
  agree("host", Host);
  agree("strength", static_cast<std::uint64_t>(Strength));
  if (me() == Host) {
    own("dispenser", line_size);
    own("served", line_size);
  }
  Dispenser = &other(Host, "dispenser", line_size);
  Served = &other(Host, "served", line_size);
  join();
}

status ticket_lock::acquire() {
  endpoint &Here = owner().here();
  word Ticket, Now;
  if (status S = Here.fetch_add(Ticket, *Dispenser, 1); S != status::ok)
    return S;
  waiting Wait(Here);
  for (;;) {
    if (status S = Here.load(Now, *Served); S != status::ok)
      return S;
    if (Now == Ticket)
      break;
    if (status S = Wait.back_off(Ticket - Now); S != status::ok)
      return S;
  }
  Held[std::min<std::size_t>(owner().thread_index(), Held.size() - 1)].Value = Ticket;
  return status::ok;
}

status ticket_lock::release() {
  endpoint &Here = owner().here();
  word Next = Held[std::min<std::size_t>(owner().thread_index(), Held.size() - 1)].Value + 1;
  if (Strength == strength::strong)
    if (status S = Here.fence(owner().all()); S != status::ok)
      return S;
  // Behind the puts of this queue pair in any case; with the flag behind its gets and remote atomics too.
  return Here.put_word(*Served, Next, nullptr, Strength == strength::weak ? 0 : fenced);
}

} // namespace rdma::objects

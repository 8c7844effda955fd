#include "rdma/objects/accounts.h"

#include <algorithm>

namespace rdma::objects {

namespace {
std::size_t ofNode(std::size_t Count, unsigned Nodes) { return Count / Nodes + (Count % Nodes != 0); }
} // namespace

accounts::accounts(std::string Name, manager &Manager, std::size_t Count, std::int64_t Initial,
                   std::size_t Locks)
    : channel(std::move(Name), Manager), Count(Count),
      LocksOfNode(
          std::clamp<std::size_t>(Locks, 1, std::max<std::size_t>(ofNode(Count, Manager.nodes()), 1))),
      Locks(*this, "locks", LocksOfNode * Manager.nodes()) {
  std::size_t Size = bytes_of(std::max<std::size_t>(ofNode(Count, Manager.nodes()), 1), sizeof(word));
  agree("accounts", Count);
  agree("balance at the beginning", static_cast<std::uint64_t>(Initial));
  Mine = own("balances", Size);
  for (std::size_t A = me(); A < Count; A += Manager.nodes())
    store(Mine.words()[A / Manager.nodes()], static_cast<word>(Initial));
  for (node_id N : Manager.all())
    Balances.push_back(&other(N, "balances", Size));
  join();
}

/// On the account's node.
std::size_t accounts::lockOf(std::size_t Account) const {
  if (Account >= Count)
    throw std::out_of_range("account " + std::to_string(Account) + " of " + std::to_string(Count));
  unsigned Nodes = owner().nodes();
  return Account / Nodes % LocksOfNode * Nodes + Account % Nodes;
}

status accounts::acquire(both &Held) {
  if (Held.Locks[0] > Held.Locks[1])
    std::swap(Held.Locks[0], Held.Locks[1]);
  Held.Count = Held.Locks[0] == Held.Locks[1] ? 1 : 2;
  for (unsigned I = 0; I < Held.Count; ++I)
    if (status S = Locks.acquire(Held.Locks[I], Held.Tickets[I]); S != status::ok)
      return S;
  return status::ok;
}

status accounts::release(both &Held) {
  status Result = status::ok;
  for (unsigned I = 0; I < Held.Count; ++I)
    if (status S = Locks.release(Held.Locks[I], Held.Tickets[I]); S != status::ok)
      Result = S;
  return Result;
}

status accounts::readBoth(std::size_t First, std::size_t Second, word &A, word &B) {
  endpoint &Here = owner().here();
  word *Results = Here.slot(endpoint::first_free_slot);
  ack Done;
  if (status S = Here.get(&Results[0], at(First), sizeof(word), Done); S != status::ok)
    return S;
  if (status S = Here.get(&Results[1], at(Second), sizeof(word), Done); S != status::ok)
    return S;
  status S = Done.wait();
  A = load(Results[0]);
  B = load(Results[1]);
  return S;
}

status accounts::transfer(std::size_t From, std::size_t To, std::int64_t Amount) {
  both Held = {{lockOf(From), lockOf(To)}, 0, {}};
  if (From == To)
    return status::ok;
  endpoint &Here = owner().here();
  if (status S = acquire(Held); S != status::ok)
    return S;
  word A, B;
  if (status S = readBoth(From, To, A, B); S != status::ok)
    return S;
  if (status S = Here.put_word(at(From), A - static_cast<word>(Amount)); S != status::ok)
    return S;
  if (status S = Here.put_word(at(To), B + static_cast<word>(Amount)); S != status::ok)
    return S;
  return release(Held);
}

status accounts::balances(std::size_t First, std::size_t Second, std::int64_t &A, std::int64_t &B) {
  both Held = {{lockOf(First), lockOf(Second)}, 0, {}};
  if (status S = acquire(Held); S != status::ok)
    return S;
  word X, Y;
  if (status S = readBoth(First, Second, X, Y); S != status::ok)
    return S;
  A = static_cast<std::int64_t>(X);
  B = static_cast<std::int64_t>(Y);
  return release(Held);
}

status accounts::balance(std::size_t Account, std::int64_t &Value) {
  std::int64_t Same;
  return balances(Account, Account, Value, Same);
}

std::int64_t accounts::sum_here() const {
  word Sum = 0;
  for (std::size_t A = me(); A < Count; A += owner().nodes())
    Sum += load(Mine.words()[A / owner().nodes()]);
  return static_cast<std::int64_t>(Sum);
}

} // namespace rdma::objects

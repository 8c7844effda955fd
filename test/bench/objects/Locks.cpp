// Lock, raise a word on the lock's node, unlock: one thread a node. Transfers under two locks.
#include "rdma/objects/locks.h"
#include "Bench.h"
#include "rdma/objects/accounts.h"

#include <algorithm>

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

/// Fence: what the user of a weak lock adds.
template <class Lock>
void single(member &M, bool Fence, const std::function<std::unique_ptr<Lock>(manager &)> &Make) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  channel Word("word", Here);
  if (M.Me == 0)
    Word.own("w", sizeof(word));
  const remote &At = Word.other(0, "w", sizeof(word));
  Word.join();
  std::unique_ptr<Lock> L = Make(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    OK(Meet.wait());
    M.say(std::to_string(rate([&] {
      word Old;
      OK(L->acquire());
      OK(Here.here().load(Old, At));
      OK(Here.here().put_word(At, Old + 1));
      if (Fence)
        OK(Here.fence({0}));
      OK(L->release());
    })));
    OK(Meet.wait());
  });
}

template <class Lock, bool Fence = false> void of(member &M) {
  single<Lock>(M, Fence, [](manager &Here) { return std::make_unique<Lock>("lock", Here, 0); });
}
template <strength Strength> void ticket(member &M) {
  single<ticket_lock>(M, Strength == strength::weak,
                      [](manager &Here) { return std::make_unique<ticket_lock>("lock", Here, 0, Strength); });
}

enter A("lock.node", of<node_lock>, true), B("lock.weak", of<weak_lock, true>, true),
    C("lock.strong", of<strong_lock>, true), D("lock.tas", of<tas_lock>, true),
    E("lock.ticket-weak", ticket<strength::weak>, true),
    F("lock.ticket-strong", ticket<strength::strong>, true);

constexpr std::size_t Accounts = 100000, Windows = 341;

void transfers(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  accounts Bank("bank", Here, Accounts, 1000, Windows);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    auto Draw = M.random(Index);
    OK(Meet.wait());
    M.say(std::to_string(rate([&] { OK(Bank.transfer(Draw() % Accounts, Draw() % Accounts, 1)); })));
    OK(Meet.wait());
  });
}

/// Windows as MPI has them: memory with a lock of its own on each node, given back when what was done is
/// there.
class windows : public channel {
public:
  explicit windows(manager &M) : channel("windows", M), Locks(*this, "locks", Windows * M.nodes()) {
    std::size_t Size = Accounts / M.nodes() * sizeof(word) + line_size;
    own("balances", Size);
    for (node_id N : M.all())
      Balances.push_back(&other(N, "balances", Size));
    join();
  }
  void transfer(std::size_t From, std::size_t To, word Amount) {
    if (From == To)
      return;
    unsigned Nodes = owner().nodes();
    std::size_t Which[2] = {lockOf(From), lockOf(To)};
    std::sort(Which, Which + 2);
    unsigned Count = Which[0] == Which[1] ? 1 : 2;
    word Tickets[2];
    for (unsigned I = 0; I < Count; ++I)
      OK(Locks.acquire(Which[I], Tickets[I]));
    endpoint &Here = owner().here();
    word *Old = Here.slot(endpoint::first_free_slot);
    ack Read;
    OK(Here.get(&Old[0], at(From), sizeof(word), Read));
    OK(Here.get(&Old[1], at(To), sizeof(word), Read));
    OK(Read.wait());
    OK(Here.put_word(at(From), load(Old[0]) - Amount));
    OK(Here.put_word(at(To), load(Old[1]) + Amount));
    OK(Here.fence({static_cast<node_id>(From % Nodes), static_cast<node_id>(To % Nodes)}));
    for (unsigned I = 0; I < Count; ++I)
      OK(Locks.release(Which[I], Tickets[I]));
  }

private:
  remote at(std::size_t A) const { return Balances[A % owner().nodes()]->word_at(A / owner().nodes()); }
  std::size_t lockOf(std::size_t A) const {
    unsigned Nodes = owner().nodes();
    return A / Nodes % Windows * Nodes + A % Nodes;
  }
  lock_table Locks;
  std::vector<const remote *> Balances;
};

void windowTransfers(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  windows Bank(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    auto Draw = M.random(Index);
    OK(Meet.wait());
    M.say(std::to_string(rate([&] { Bank.transfer(Draw() % Accounts, Draw() % Accounts, 1); })));
    OK(Meet.wait());
  });
}

enter T("transfers.ours", transfers, true), U("transfers.windows", windowTransfers, true);

} // namespace

} // namespace rdma::bench

// Locks and atomics that are broken on purpose, each in the way that the papers warn of.
#include "rdma/objects/barrier.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Two words on the last node.
struct pair_of_words : channel {
  pair_of_words(manager &M) : channel("pair", M) {
    node_id Home = M.nodes() - 1;
    if (me() == Home)
      Mine = own("words", 2 * line_size);
    At = &other(Home, "words", 2 * line_size);
    join();
  }
  remote first() const { return *At; }
  remote second() const { return At->at(line_size); }
  region Mine;
  const remote *At;
};

/// The weak lock's acquire, looking at the ticket before it is delivered: whoever is quick is number 0, as
/// the memory was.
void ticketNotAwaited(member &M, bool Await) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  pair_of_words Words(Here);
  weak_lock Unused("unused", Here, 0);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    endpoint &E = Here.here();
    word *Ticket = E.slot(endpoint::first_free_slot);
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      ack Delivered;
      store(*Ticket, 0);
      OK(E.fetch_add(Ticket, Words.first(), 1, Delivered));
      if (Await)
        OK(Delivered.wait());
      bool Mine = load(*Ticket) == I * M.Plan.Nodes * M.Plan.Threads; // the round's first number
      OK(Delivered.wait());
      word Inside;
      if (Mine) {
        OK(E.fetch_add(Inside, Words.second(), 1));
        if (Inside != I)
          fail("two threads are inside");
      }
      OK(Meet.wait());
    }
  });
}

/// The strong lock with its fence behind the release.
class late_fence_lock : public weak_lock {
public:
  using weak_lock::weak_lock;
  status release() {
    if (status S = weak_lock::release(); S != status::ok)
      return S;
    return owner().fence();
  }
};

void lateFence(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  pair_of_words Words(Here);
  late_fence_lock Lock("lock", Here, 0);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      word Old;
      OK(Lock.acquire());
      OK(Here.here().load(Old, Words.first()));
      OK(Here.here().put_word(Words.first(), Old + 1));
      OK(Lock.release());
    }
    OK(Meet.wait());
    word Sum, All = M.Plan.Rounds * M.Plan.Nodes * M.Plan.Threads;
    OK(Here.here().load(Sum, Words.first()));
    if (Sum != All)
      fail("lost updates: " + std::to_string(Sum) + " of " + std::to_string(All));
    OK(Meet.wait());
  });
}

/// Gets under a lock on the data's node that are awaited behind its release: sound with the node lock, whose
/// release is fenced.
void getsUnderLock(member &M, strength Strength) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  pair_of_words Words(Here);
  ticket_lock Lock("lock", Here, M.Plan.Nodes - 1, Strength);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    endpoint &E = Here.here();
    word *Seen = E.slot(endpoint::first_free_slot), Me = Here.position({M.Me, Index}) + 1;
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      ack Delivered;
      OK(Lock.acquire());
      if (Me % 2) {
        OK(E.put_word(Words.first(), I * 64 + Me));
        OK(E.put_word(Words.second(), I * 64 + Me));
      } else {
        OK(E.get(&Seen[0], Words.first(), sizeof(word), Delivered));
        OK(E.get(&Seen[1], Words.second(), sizeof(word), Delivered));
      }
      OK(Lock.release());
      OK(Delivered.wait());
      if (Me % 2 == 0 && load(Seen[0]) != load(Seen[1]))
        fail("the lock's next holder was seen: " + std::to_string(load(Seen[0])) + " and " +
             std::to_string(load(Seen[1])));
    }
    OK(Meet.wait());
  });
}

/// A word that the NICs raise, and its node's processor with an atomic of its own.
void processorAtomics(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  pair_of_words Words(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I)
      if (word Old; Words.Mine.data)
        __atomic_fetch_add(Words.Mine.words(), 1, __ATOMIC_SEQ_CST), Here.here().poll();
      else
        OK(Here.here().fetch_add(Old, Words.first(), 1));
    OK(Meet.wait());
    word Sum, All = M.Plan.Rounds * M.Plan.Nodes * M.Plan.Threads;
    OK(Here.here().load(Sum, Words.first()));
    if (Sum != All)
      fail("lost updates: " + std::to_string(Sum) + " of " + std::to_string(All));
    OK(Meet.wait());
  });
}

add A("ticket-await", [](member &M) { ticketNotAwaited(M, true); }),
    B("weak-lock-nowait-bug", [](member &M) { ticketNotAwaited(M, false); }),
    C("strong-lock-latefence-bug", lateFence),
    D("node-lock-gets", [](member &M) { getsUnderLock(M, strength::node); }),
    E("node-lock-nofence-bug", [](member &M) { getsUnderLock(M, strength::weak); }),
    F("cpu-atomic-bug", processorAtomics);

} // namespace

} // namespace rdma::objects::test

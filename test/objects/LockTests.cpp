// No update is lost under any lock.
#include "rdma/objects/barrier.h"
#include "rdma/objects/locks.h"
#include "test/objects/Group.h"

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Words on node Home that are raised by a get and a put of each thread under the lock.
struct counters : channel {
  counters(manager &M, node_id Home) : channel("counters", M) {
    if (me() == Home)
      own("c", 2 * line_size);
    At = &other(Home, "c", 2 * line_size);
    join();
  }
  const remote *At;
};

status raise(manager &Here, const counters &C, std::size_t Which) {
  word Old;
  remote At = C.At->word_at(Which);
  if (status S = Here.here().load(Old, At); S != status::ok)
    return S;
  return Here.here().put_word(At, Old + 1);
}

void lookAt(manager &Here, const counters &C, word Sum) {
  word First, Second;
  OK(Here.here().load(First, *C.At));
  OK(Here.here().load(Second, C.At->word_at(1)));
  if (First != Sum || Second != Sum)
    fail("lost updates: " + std::to_string(First) + " and " + std::to_string(Second) + " of " +
         std::to_string(Sum));
}

/// Fence: before the release, as the weak lock's user must.
template <class Lock>
void hammer(member &M, bool Fence, const std::function<std::unique_ptr<Lock>(manager &)> &Make) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  node_id Home = M.Plan.Nodes - 1;
  counters C(Here, Home);
  std::unique_ptr<Lock> L = Make(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      std::lock_guard Guard(*L);
      OK(raise(Here, C, 0));
      OK(raise(Here, C, 1));
      if (Fence)
        OK(Here.fence({Home}));
    }
    OK(Meet.wait());
    lookAt(Here, C, M.Plan.Rounds * M.Plan.Nodes * M.Plan.Threads);
    OK(Meet.wait());
  });
}

template <class Lock> add hammerOf(const char *Name, bool Fence, bool AtData) {
  return add(Name, [=](member &M) {
    hammer<Lock>(M, Fence, [&](manager &Here) {
      return std::make_unique<Lock>("lock", Here, AtData ? M.Plan.Nodes - 1 : 0);
    });
  });
}

add ticketOf(const char *Name, bool Fence, bool AtData, strength Strength) {
  return add(Name, [=](member &M) {
    hammer<ticket_lock>(M, Fence, [&](manager &Here) {
      return std::make_unique<ticket_lock>("lock", Here, AtData ? M.Plan.Nodes - 1 : 0, Strength);
    });
  });
}

/// What is thrown reaches who asked, whichever thread ran it, and the lock is free afterwards.
void mustThrow(tas_lock &L, std::uint64_t What) {
  try {
    (void)L.run([=] { throw What; });
  } catch (std::uint64_t Thrown) {
    CHECK(Thrown == What);
    return;
  }
  fail("nothing thrown");
}

void combining(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  counters C(Here, M.Plan.Nodes - 1);
  tas_lock L("lock", Here, M.Plan.Nodes - 1);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Thread) {
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      OK(L.run([&] {
        OK(raise(Here, C, 0));
        OK(raise(Here, C, 1));
      }));
      if (I % 8 == 0)
        mustThrow(L, I * M.Plan.Threads + Thread);
    }
    OK(Meet.wait());
    lookAt(Here, C, M.Plan.Rounds * M.Plan.Nodes * M.Plan.Threads);
    OK(Meet.wait());
  });
}

add A = hammerOf<weak_lock>("weak-lock", true, false), B = hammerOf<strong_lock>("strong-lock", false, false),
    C = hammerOf<node_lock>("node-lock", false, true), D = hammerOf<tas_lock>("tas-lock", false, true),
    E("tas-combining", combining), F = ticketOf("ticket-weak", true, false, strength::weak),
    G = ticketOf("ticket-node", false, true, strength::node),
    H = ticketOf("ticket-strong", false, false, strength::strong);

// Broken on purpose.
add X = hammerOf<weak_lock>("weak-lock-nofence-bug", false, false),
    Y = hammerOf<node_lock>("node-lock-elsewhere-bug", false, false),
    Z = hammerOf<tas_lock>("tas-lock-elsewhere-bug", false, false);

} // namespace

} // namespace rdma::objects::test

// What the pages say that an operation costs, in round trips: each request takes a while here, so that a call
// lasts as long as those that it waits for one after the other.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/sc.h"
#include "test/objects/Group.h"

#include <cmath>
#include <cstdlib>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto Delay = 100ms;
constexpr unsigned Tries = 8; ///< at most, of which the quickest counts: a busy machine only adds

class costs {
public:
  explicit costs(manager &Here) : Here(Here) {}
  /// What was posted before, and not waited for, is over when a call begins.
  template <class Do> void is(const char *What, double Expected, Do &&Call) {
    double Least = 1e9;
    for (unsigned I = 0; I < Tries && Least > Expected + 0.8; ++I) {
      OK(Here.fence());
      auto Begun = steady::now();
      Call();
      Least = std::min(Least, std::chrono::duration<double>(steady::now() - Begun) / Delay);
    }
    if (Least < Expected - 0.1 || Least > Expected + 0.8)
      fail(std::string(What) + ": " + std::to_string(Least) + " round trips, not " +
           std::to_string(Expected));
  }
  /// Acquire and release.
  template <class Lock> void lock(const char *What, double Expected, Lock &L) {
    is(What, Expected, [&] {
      OK(L.acquire());
      OK(L.release());
    });
  }

private:
  manager &Here;
};

/// Node 1 calls; every object is on node 0.
void roundTrips(member &M) {
  setenv("RDMA_LATENCY", (std::to_string(Delay.count()) + "ms").c_str(), 1);
  options O;
  manager Here(M.Hosts, M.Me, O);
  barrier Meet("meet", Here);
  atomic_var Count("count", Here, 0);
  fifo Queue("queue", Here, 0, 2);
  msw<std::array<long, 4>> Value("value", Here);
  shared_var<int> Flag("flag", Here);
  weak_lock Weak("weak", Here, 0);
  strong_lock Strong("strong", Here, 0);
  node_lock Node("node", Here, 0);
  ticket_lock TicketWeak("ticket-weak", Here, 0, strength::weak),
      TicketStrong("ticket-strong", Here, 0, strength::strong);
  tas_lock Tas("tas", Here, 0);
  sc<long> Word("word", Here, 0);
  locked<std::array<long, 2>> Board("board", Here, 0);
  accounts Bank("bank", Here, 8, 100);
  kvstore<int, int> Store("store", Here);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  if (M.Me == 0)
    CHECK(Store.insert(1, 1));
  OK(Meet.wait());
  if (M.Me == 1) {
    costs Cost(Here);
    word Old;
    long Seen = 0;
    bool Done;
    std::uint32_t Taken;
    Cost.is("load", 1, [&] { OK(Count.load(Old)); });
    Cost.is("fetch_add", 1, [&] { OK(Count.fetch_add(1, Old)); });
    Cost.is("compare_exchange", 1, [&] { OK(Count.compare_exchange(Old, 3, Done)); });
    Cost.is("store", 2, [&] { OK(Count.store(Old + 7)); });
    Cost.is("push", 0, [&] { OK(Flag.push()); });
    Cost.is("put", 0, [&] { OK(Value.put(Here.all())); });
    Cost.is("fence", 1, [&] {
      OK(Flag.push());
      OK(Here.fence());
    });
    Cost.is("idle fence", 0, [&] { OK(Here.fence()); });
    Cost.is("get", 1, [&] {
      ack Done;
      OK(Value.get(0, Done));
      OK(Done.wait());
    });
    for (unsigned Cell : {0u, 1u})
      OK(Queue.enqueue(Cell));
    Cost.is("full", 2, [&] { CHECK(Queue.enqueue(3) == status::full); });
    for (unsigned Cell : {0u, 1u}) {
      OK(Queue.dequeue(Taken));
      CHECK(Taken == Cell);
    }
    Cost.is("empty", 2, [&] { CHECK(Queue.dequeue(Taken) == status::empty); });
    Cost.is("enqueue, dequeue", 5, [&] {
      OK(Queue.enqueue(3));
      OK(Queue.dequeue(Taken));
    });
    Cost.lock("weak_lock", 1, Weak);
    Cost.lock("strong_lock", 2, Strong);
    Cost.lock("node_lock", 2, Node);
    Cost.lock("ticket_lock weak", 2, TicketWeak);
    Cost.lock("ticket_lock strong", 3, TicketStrong);
    Cost.lock("tas_lock", 1, Tas);
    Cost.is("sc write", 2, [&] { Word.write(1); });
    Cost.is("sc read", 3, [&] { Seen = Word.read(); });
    Cost.is("sc compare_exchange", 3, [&] { (void)Word.compare_exchange(Seen, 2); });
    Cost.is("sc fetch_add", 3, [&] { (void)Word.fetch_add(1); });
    Cost.is("locked with", 3, [&] { Board.with([](auto &B) { ++B[0]; }); });
    Cost.is("transfer", 5, [&] { OK(Bank.transfer(0, 1, 1)); });
    Cost.is("lookup", 1, [&] { CHECK(Store.lookup(1)); });
    Cost.is("lookup of none", 0, [&] { CHECK(!Store.lookup(2)); });
    Cost.is("update", 4, [&] { CHECK(Store.update(1, 2)); });
    kvstore<int, int>::updating Update(Store);
    Cost.is("update_async", 2, [&] {
      Store.update_async(1, 3, Update);
      CHECK(Update.get());
    });
  }
  OK(Meet.wait());
}

add A("round-trips", [](const plan &Given) {
  plan Plan = Given;
  Plan.Nodes = 2;
  return runGroup(Plan, roundTrips).Good;
});

} // namespace

} // namespace rdma::objects::test

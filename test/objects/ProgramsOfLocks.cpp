// Programs whose threads change things together: locks, transfers, a queue, words in one order, a map.
#include "rdma/objects/accounts.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/sc.h"
#include "rdma/objects/vars.h"
#include "test/objects/Programs.h"

namespace rdma::objects::test {

namespace {

/// A word beside its lock and one of another lock's, a structure behind its own lock, a variable of all
/// nodes.
struct visits {
  struct board {
    long Count, Last;
    std::array<int, 64> By;
  };
  ticket_lock Ticket;
  strong_lock Strong;
  locked<board> Board;
  shared_var<long> Value;
  channel Memory;
  const remote *Counter;
  barrier Meet;
  explicit visits(manager &Here)
      : Ticket("ticket", Here, 1, strength::strong), Strong("strong", Here, 1), Board("board", Here, 0),
        Value("value", Here, 0), Memory("memory", Here), Meet("meet", Here) {
    if (Here.me() == 0)
      Memory.own("counter", sizeof(word));
    Counter = &Memory.other(0, "counter", sizeof(word));
    Memory.join();
  }

  static constexpr int Each = 25;
  void visit(manager &Here, std::size_t Position) {
    {
      std::lock_guard Guard(Ticket);
      word Now;
      OK(Here.here().load(Now, *Counter));
      OK(Here.here().put_word(*Counter, Now + 1));
    }
    Board.with([&](board &B) {
      ++B.Count;
      B.Last = Here.me();
      ++B.By[Position];
    });
  }
  void run(manager &Here, unsigned Index) {
    std::size_t Position = Here.position({Here.me(), Index});
    for (int I = 0; I < Each; ++I)
      visit(Here, Position);
    OK(Meet.wait());
    long All = Each * long(Here.nodes() * Here.threads());
    word Counted;
    OK(Here.here().load(Counted, *Counter));
    board Seen = Board.with([](board &B) { return B; });
    CHECK(long(Counted) == All && Seen.Count == All && Seen.By[Position] == Each);
    for (int I = 0; I < Each; ++I) {
      std::scoped_lock Guard(Strong);
      Value.store(Value.load() + 1);
      OK(Value.push());
    }
    OK(Meet.wait());
    CHECK(Value.load() == All);
    OK(Meet.wait());
  }
};

/// Money goes round; the sum stays, as all nodes tell each other. What is no account is refused.
struct money {
  static constexpr unsigned Accounts = 9;
  accounts Bank;
  sst<std::int64_t> Sums;
  barrier Meet;
  explicit money(manager &Here) : Bank("bank", Here, Accounts, 100), Sums("sums", Here), Meet("meet", Here) {}

  bool refuses(unsigned From, unsigned To) {
    try {
      (void)Bank.transfer(From, To, 1);
      return false;
    } catch (const std::out_of_range &) {
      return true;
    }
  }
  void run(manager &Here, unsigned Index) {
    std::minstd_rand Draw(1 + static_cast<unsigned>(Here.position({Here.me(), Index})));
    for (int I = 0; I < 60; ++I) {
      unsigned From = Draw() % Accounts, To = Draw() % Accounts; // also to itself
      OK(Bank.transfer(From, To, Draw() % 50));
    }
    OK(Meet.wait());
    OK(Sums.store_mine(Index == 0 ? Bank.sum_here() : 0));
    OK(Sums.push_broadcast());
    OK(Meet.wait());
    std::int64_t Sum = 0, One, Same;
    for (std::size_t Row = 0; Row < Sums.size(); ++Row)
      Sum += Sums[Row];
    CHECK(Sum == Accounts * 100);
    CHECK(refuses(3, Accounts) && refuses(Accounts, 3));
    OK(Bank.balances(2, 2, One, Same));
    CHECK(One == Same);
    OK(Meet.wait());
  }
};

/// On each node one thread sends, the others take until all is taken; what one node sends stays in order.
struct parcels {
  static constexpr unsigned Each = 40;
  fifo Queue;
  atomic_var Taken, Sum;
  barrier Meet;
  explicit parcels(manager &Here)
      : Queue("queue", Here, 0, 8), Taken("taken", Here, 0), Sum("sum", Here, 0), Meet("meet", Here) {}

  void send(manager &Here) {
    waiting Wait(Here.here());
    for (unsigned I = 0; I < Each;) {
      status S = Queue.enqueue(Here.me() * 1000 + I);
      if (S == status::full) {
        OK(Wait.step());
        continue;
      }
      OK(S);
      ++I;
      Wait.again();
    }
  }
  void take(manager &Here) {
    waiting Wait(Here.here());
    std::vector<unsigned> Next(Here.nodes());
    for (word All = 0, Before; All != Here.nodes() * Each;) {
      std::uint32_t Value;
      status S = Queue.dequeue(Value);
      if (S == status::empty) {
        OK(Wait.step());
        OK(Taken.load(All));
        continue;
      }
      OK(S);
      Wait.again();
      CHECK(Value % 1000 >= Next.at(Value / 1000));
      Next[Value / 1000] = Value % 1000 + 1;
      OK(Sum.fetch_add(Value, Before));
      OK(Taken.fetch_add(1, Before));
    }
  }
  void run(manager &Here, unsigned Index) {
    Index == 0 ? send(Here) : take(Here);
    OK(Meet.wait());
    word Total, Want = 0;
    OK(Sum.load(Total));
    for (node_id N : Here.all())
      Want += Each * N * 1000 + Each * (Each - 1) / 2;
    CHECK(Total == Want);
    OK(Meet.wait());
  }
};

/// Two nodes write a word each, then read the other's: one of them sees what was written. A word of half the
/// size under a lock, and one that all threads raise by compare and exchange.
struct flags {
  static constexpr long Rounds = 10;
  sc<long> X, Y, SawY, SawX;
  sc<unsigned> Small;
  tas_lock Lock;
  barrier Meet;
  explicit flags(manager &Here)
      : X("x", Here, 0), Y("y", Here, 1), SawY("saw-y", Here, 0), SawX("saw-x", Here, 0),
        Small("small", Here, 1), Lock("lock", Here, 0), Meet("meet", Here) {}

  void run(manager &Here, unsigned Index) {
    for (long Round = 1; Round <= Rounds; ++Round) {
      if (Index == 0 && Here.me() == 0) {
        X.write(Round);
        SawY.write(Y.read());
      }
      if (Index == 0 && Here.me() == 1) {
        Y.write(Round);
        SawX.write(X.read());
      }
      OK(Meet.wait());
      CHECK(SawY.read() == Round || SawX.read() == Round);
      OK(Meet.wait());
    }
    for (int I = 0; I < 10; ++I) {
      std::lock_guard Guard(Lock);
      Small.write(Small.read() + 1);
    }
    for (long Old = 0; !X.compare_exchange(Old, Old + 1);)
      ;
    OK(Meet.wait());
    unsigned All = Here.nodes() * Here.threads();
    CHECK(Small.read() == 10 * All && X.read() == Rounds + long(All));
    OK(Meet.wait());
  }
};

/// Each thread's keys in one map: all see them, a neighbour changes and erases them, one of many wins a key.
struct directory {
  struct entry {
    double Half, Whole;
    long By;
  };
  static constexpr std::uint64_t Each = 10;
  kvstore<std::uint64_t, entry> Map;
  barrier Meet;
  explicit directory(manager &Here) : Map("map", Here), Meet("meet", Here) {}

  static std::uint64_t key(std::uint64_t Of, std::uint64_t I) { return Of * 100 + I; }
  void changeAll(std::uint64_t Of, long By) {
    for (std::uint64_t I = 0; I < Each; ++I) {
      CHECK(Map.update(key(Of, I), {5, 10, By}));
      CHECK(Map.lookup(key(Of, I))->By == By);
    }
  }
  void seeAll(std::uint64_t Threads) {
    for (std::uint64_t Of = 0; Of < Threads; ++Of)
      for (std::uint64_t I = 0; I < Each; ++I) {
        auto Seen = Map.lookup(key(Of, I));
        CHECK(Seen && Seen->Whole == 2 * Seen->Half && Seen->By == long(Of));
      }
  }
  void run(manager &Here, unsigned Index) {
    std::uint64_t Me = Here.position({Here.me(), Index}), Threads = Here.nodes() * Here.threads();
    for (std::uint64_t I = 0; I < Each; ++I)
      CHECK(Map.insert(key(Me, I), {1. * double(I), 2. * double(I), long(Me)}));
    OK(Meet.wait());
    seeAll(Threads);
    OK(Meet.wait());
    changeAll((Me + 1) % Threads, long(Me));
    CHECK(!Map.update(99999, {}) && !Map.lookup(99999));
    OK(Meet.wait());
    for (std::uint64_t I = 0; I < Each; ++I)
      CHECK(Map.erase(key((Me + 1) % Threads, I)));
    OK(Meet.wait());
    CHECK(!Map.contains(key(Me, 0)) && !Map.erase(key(Me, 0)));
    bool Won = Map.insert(7777, {1, 2, long(Me)});
    OK(Meet.wait());
    auto Winner = Map.lookup(7777);
    CHECK(Winner && Won == (Winner->By == long(Me)));
    OK(Meet.wait());
  }
};

add_program<visits> A("program-visits");
add_program<money> B("program-money");
add_program<parcels> C("program-parcels");
add_program<flags> D("program-flags");
add_program<directory> E("program-directory");

} // namespace

} // namespace rdma::objects::test

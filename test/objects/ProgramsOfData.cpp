// Programs whose threads tell each other things: variables, a ring, tables, values of several words, jobs.
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/msw.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/vars.h"
#include "test/objects/Programs.h"

namespace rdma::objects::test {

namespace {

/// Rounds: one node in turn writes, all meet, everybody has read it before the next one writes.
struct turns {
  shared_var<long> Value;
  barrier Meet;
  explicit turns(manager &Here) : Value("value", Here, 0), Meet("meet", Here) {}

  void run(manager &Here, unsigned Index) {
    for (long Round = 1; Round <= 40; ++Round) {
      if (Index == 0 && Here.me() == Round % Here.nodes()) {
        Value.store(Round);
        OK(Value.push());
      }
      OK(Meet.wait());
      CHECK(Value.load() == Round);
      OK(Meet.wait());
    }
  }
};

/// One thread sends news of many lengths through a small ring; all threads of the other nodes read all.
struct news {
  static std::vector<thread_id> readers(manager &Here) {
    std::vector<thread_id> All;
    for (node_id N : Here.all().without(0))
      for (unsigned Index = 0; Index < Here.threads(); ++Index)
        All.push_back({N, Index});
    return All;
  }
  ring Ring;
  barrier Meet;
  explicit news(manager &Here) : Ring("ring", Here, {0, 0}, readers(Here), 64), Meet("meet", Here) {}

  static constexpr word Messages = 200;
  static std::vector<word> message(word Number) { return std::vector<word>(1 + Number % 50, Number); }

  void read(manager &Here) {
    waiting Wait(Here.here());
    for (word Number = 0; Number < Messages;) {
      auto Seen = Ring.try_receive();
      if (!Seen) {
        OK(Wait.step());
        continue;
      }
      CHECK(*Seen == message(Number));
      ++Number;
      Wait.again();
    }
  }
  void run(manager &Here, unsigned Index) {
    if (Here.me() != 0)
      read(Here);
    for (word Number = 0; Here.me() == 0 && Index == 0 && Number < Messages; ++Number)
      OK(Ring.submit(message(Number)));
    OK(Meet.wait());
  }
};

/// Each row counts up, and nobody sees it go back; a large value that one node owns is never torn, nor old
/// again.
struct counts {
  using large = std::array<long, 9>;
  sst<long> Rows;
  owned_var<large> Owned;
  barrier Meet;
  explicit counts(manager &Here) : Rows("rows", Here), Owned("owned", Here, 0), Meet("meet", Here) {}

  void look(std::vector<long> &Seen, long &Newest) {
    for (std::size_t Row = 0; Row < Rows.size(); ++Row) {
      long Value = Rows[Row];
      CHECK(Value >= Seen[Row]);
      Seen[Row] = Value;
    }
    if (auto Now = Owned.load()) {
      for (long Each : *Now)
        CHECK(Each == Now->front());
      CHECK(Now->front() >= Newest);
      Newest = Now->front();
    }
  }
  void run(manager &Here, unsigned Index) {
    std::vector<long> Seen(Rows.size());
    long Newest = 0;
    for (long I = 1; I <= 100; ++I) {
      OK(Rows.store_mine(I));
      OK(Rows.push_broadcast());
      if (Here.me() == 0 && Index == 0) {
        large Value;
        Value.fill(I);
        OK(Owned.store(Value));
        OK(Owned.push());
      }
      look(Seen, Newest);
    }
    OK(Meet.wait());
    look(Seen, Newest);
    CHECK(Newest == 100 && Seen == std::vector<long>(Seen.size(), 100));
    OK(Meet.wait());
  }
};

/// One node moves, the others look; then each takes a step under a lock, with a fence before the release.
struct positions {
  struct position {
    double X, Y, Z;
    int Number;
    bool at(int N) const { return Number == N && X == N && Y == 2. * N && Z == 3. * N; }
  };
  msw<position> Where;
  weak_lock Lock;
  shared_var<long> Steps;
  barrier Meet;
  explicit positions(manager &Here)
      : Where("where", Here), Lock("lock", Here, 0), Steps("steps", Here, 0), Meet("meet", Here) {}

  void run(manager &Here, unsigned Index) {
    for (int I = 1; I <= 100; ++I) {
      if (Here.me() == 0 && Index == 0) {
        Where.write({1. * I, 2. * I, 3. * I, I});
        OK(Where.put(Here.all()));
      } else if (auto Now = Where.try_read())
        CHECK(Now->at(Now->Number));
    }
    OK(Meet.wait());
    auto Last = Where.try_read();
    CHECK(Last && Last->at(100));
    for (int I = 0; I < 15; ++I) {
      std::lock_guard Guard(Lock);
      Steps.store(Steps.load() + 1);
      OK(Steps.push());
      OK(Here.fence());
    }
    OK(Meet.wait());
    CHECK(Steps.load() == 15 * long(Here.nodes() * Here.threads()));
    OK(Meet.wait());
  }
};

/// Jobs from a queue, their results in a map, and a sum for which each thread reads a word of all others.
struct jobs {
  static constexpr std::uint32_t Count = 60;
  fifo Open;
  kvstore<unsigned, unsigned> Results;
  barrier Meet;
  channel Sums;
  std::vector<const remote *> At;
  explicit jobs(manager &Here)
      : Open("open", Here, 0, 256), Results("results", Here), Meet("meet", Here), Sums("sums", Here) {
    std::size_t Size = Here.threads() * sizeof(word);
    Sums.own("sum", Size);
    for (node_id N : Here.all())
      At.push_back(&Sums.other(N, "sum", Size));
    Sums.join();
  }

  word workOnAll() {
    word Sum = 0;
    for (std::uint32_t Job; Open.dequeue(Job) == status::ok; Sum += Job * Job)
      CHECK(Results.insert(Job, Job * Job));
    return Sum;
  }
  word sumOfAll(manager &Here) {
    word Total = 0;
    for (const remote *Node : At)
      for (unsigned Index = 0; Index < Here.threads(); ++Index) {
        word Sum;
        OK(Here.here().load(Sum, Node->word_at(Index)));
        Total += Sum;
      }
    return Total;
  }
  void run(manager &Here, unsigned Index) {
    for (std::uint32_t Job = 1; Here.me() == 0 && Index == 0 && Job <= Count; ++Job)
      OK(Open.enqueue(Job));
    OK(Meet.wait());
    OK(Here.here().put_word(At[Here.me()]->word_at(Index), workOnAll()));
    OK(Meet.wait());
    CHECK(sumOfAll(Here) == Count * (Count + 1) * (2 * Count + 1) / 6);
    for (std::uint32_t Job = 1; Job <= Count; ++Job)
      CHECK(Results.lookup(Job) == Job * Job);
    OK(Meet.wait());
  }
};

add_program<turns> A("program-turns");
add_program<news> B("program-news");
add_program<counts> C("program-counts");
add_program<positions> D("program-positions");
add_program<jobs> E("program-jobs");

} // namespace

} // namespace rdma::objects::test

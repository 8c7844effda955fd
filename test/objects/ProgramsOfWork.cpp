// Programs that hand work out, keep replicas in step, and cache what others change; run to their end, and
// with a node killed in the middle: the others' calls say so, and nobody hangs.
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/vars.h"
#include "test/objects/Programs.h"

#include <atomic>
#include <csignal>
#include <map>
#include <sys/mman.h>
#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

struct lost {};

void orLost(status S) {
  if (S != status::ok)
    throw lost();
}

/// Node 0 hands numbers of places out, the workers fetch what lies there, and put what they made of it
/// back.
class pool {
  static constexpr word Jobs = 120, Places = 8, Words = 16;
  fifo Free, Ready, Done;
  channel Data;
  region Mine, Work;
  const remote &Given, &Made;
  barrier Meet;

  region ownAt(manager &Here, const char *Name) {
    return Here.me() == 0 ? Data.own(Name, Places * Words * sizeof(word)) : region{};
  }
  static word *at(region R, word Place) { return R.words() + Place * Words; }
  static word result(word Job, word I) { return Job * 1000 + I * I; }

  template <class Call> static status again(manager &Here, status Until, const Call &Try) {
    waiting Wait(Here.here());
    for (;;) {
      status S = Try();
      if (S != Until)
        return S;
      orLost(Wait.step());
    }
  }
  void handOut(manager &Here) {
    for (word Job = 1; Job <= Jobs; ++Job) {
      std::uint32_t Place;
      orLost(again(Here, status::empty, [&] { return Free.dequeue(Place); }));
      for (word I = 0; I < Words; ++I)
        store(at(Mine, Place)[I], Job + I);
      orLost(again(Here, status::full, [&] { return Ready.enqueue(Place); }));
    }
  }
  void collect(manager &Here) {
    std::vector<bool> Seen(Jobs + 1);
    for (word Count = 0; Count < Jobs; ++Count) {
      std::uint32_t Place;
      orLost(again(Here, status::empty, [&] { return Done.dequeue(Place); }));
      word Job = load(at(Work, Place)[0]) / 1000;
      CHECK(Job >= 1 && Job <= Jobs && !Seen[Job]);
      Seen[Job] = true;
      for (word I = 0; I < Words; ++I)
        CHECK(load(at(Work, Place)[I]) == result(Job, I));
      orLost(again(Here, status::full, [&] { return Free.enqueue(Place); }));
    }
    for (word Each : Here.all().without(0))
      for (unsigned I = 0; I < Here.threads(); ++I, (void)Each)
        orLost(again(Here, status::full, [&] { return Ready.enqueue(Places); }));
  }
  void work(manager &Here) {
    region Local = Here.allocate(Words * sizeof(word));
    for (;;) {
      std::uint32_t Place;
      orLost(again(Here, status::empty, [&] { return Ready.dequeue(Place); }));
      if (Place == Places)
        return;
      ack Fetched;
      orLost(Here.here().get(Local.words(), Given.word_at(Place * Words), Local.size, Fetched));
      orLost(Fetched.wait());
      word Job = Local.words()[0];
      for (word I = 0; I < Words; ++I) {
        CHECK(Local.words()[I] == Job + I);
        Local.words()[I] = result(Job, I);
      }
      orLost(Here.here().put(Made.word_at(Place * Words), Local.words(), Local.size));
      orLost(Here.fence({0}));
      orLost(again(Here, status::full, [&] { return Done.enqueue(Place); }));
    }
  }

public:
  explicit pool(manager &Here)
      : Free("free", Here, 0, Places), Ready("ready", Here, 0, Places), Done("done", Here, 0, Places),
        Data("data", Here), Mine(ownAt(Here, "given")), Work(ownAt(Here, "made")),
        Given(Data.other(0, "given", Places * Words * sizeof(word))),
        Made(Data.other(0, "made", Places * Words * sizeof(word))), Meet("meet", Here) {
    Data.join();
  }
  void run(manager &Here, unsigned Index) {
    if (Here.me() != 0)
      work(Here);
    for (std::uint32_t Place = 0; Here.me() == 0 && Index == 0 && Place < Places; ++Place)
      orLost(Free.enqueue(Place));
    if (Here.me() == 0 && Index == 0)
      handOut(Here);
    if (Here.me() == 0 && Index == Here.threads() - 1)
      collect(Here);
    orLost(Meet.wait());
  }
};

/// A few counters of which every node has a copy; whoever has the lock changes all copies.
template <class Lock> class replicas {
  static constexpr unsigned Counters = 4, Rounds = 25;
  Lock Mutex;
  channel Data;
  region Mine;
  std::vector<const remote *> Copies;
  barrier Meet;

public:
  explicit replicas(manager &Here)
      : Mutex("mutex", Here, 1), Data("data", Here), Mine(Data.own("copy", Counters * sizeof(word))),
        Meet("meet", Here) {
    for (node_id N : Here.all())
      Copies.push_back(&Data.other(N, "copy", Counters * sizeof(word)));
    Data.join();
  }
  void run(manager &Here, unsigned) {
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      orLost(Mutex.acquire());
      for (unsigned C = 0; C < Counters; ++C) {
        word Next = load(Mine.words()[C]) + C + 1;
        CHECK(Next == (load(Mine.words()[0]) + (C == 0)) * (C + 1)); // all in step
        for (node_id N : Here.all().without(Here.me()))
          orLost(Here.here().put_word(Copies[N]->word_at(C), Next));
        store(Mine.words()[C], Next);
      }
      if constexpr (std::is_same_v<Lock, weak_lock>)
        orLost(Here.fence());
      orLost(Mutex.release());
    }
    orLost(Meet.wait());
    word All = Rounds * Here.nodes() * Here.threads();
    for (unsigned C = 0; C < Counters; ++C)
      CHECK(load(Mine.words()[C]) == All * (C + 1));
    orLost(Meet.wait());
  }
};

/// Each node caches what it reads of a store, and drops it when the version that the key's writer shows
/// is another.
class cache {
  static constexpr unsigned Rounds = 30;
  kvstore<word, word> Store;
  sst<word> Versions; ///< of the key that the thread of the row writes
  barrier Meet;

  struct kept {
    word Version = 0, Value = 0;
  };
  word read(word Key, std::map<word, kept> &Cache, unsigned &Hits) {
    word Version = Versions[Key];
    auto [Entry, New] = Cache.try_emplace(Key);
    if (!New && Entry->second.Version == Version)
      return ++Hits, Entry->second.Value;
    std::optional<word> Value = Store.lookup(Key);
    CHECK(Value);
    CHECK(*Value >= Version); // the value is there before its version is shown
    Entry->second = {Version, *Value};
    return *Value;
  }

public:
  explicit cache(manager &Here) : Store("store", Here), Versions("versions", Here), Meet("meet", Here) {}

  void run(manager &Here, unsigned Index) {
    word Own = Here.position({Here.me(), Index}), Keys = Here.nodes() * Here.threads();
    std::map<word, kept> Cache;
    std::vector<word> Newest(Keys);
    unsigned Hits = 0;
    CHECK(Store.insert(Own, 0));
    orLost(Meet.wait());
    for (word Round = 1; Round <= Rounds; ++Round) {
      CHECK(Store.update(Own, Round));
      orLost(Versions.store_mine(Round));
      orLost(Versions.push_broadcast());
      for (word Key = 0; Key < Keys; ++Key)
        for (int Look = 0; Look < 2; ++Look) {
          word Now = read(Key, Cache, Hits);
          CHECK(Now >= Newest[Key] && (Key != Own || Now == Round));
          Newest[Key] = Now;
        }
    }
    orLost(Meet.wait());
    for (word Key = 0; Key < Keys; ++Key)
      CHECK(read(Key, Cache, Hits) == Rounds);
    CHECK(Hits > Rounds);
    orLost(Meet.wait());
  }
};

add_program<pool> A("program-pool");
add_program<replicas<weak_lock>> B("program-replicas-weak");
add_program<replicas<strong_lock>> C("program-replicas-strong");
add_program<cache> D("program-cache");

/// How many nodes are ready, in memory that all share.
class arrivals {
  void *At = mmap(nullptr, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

public:
  std::atomic<unsigned> &Ready = *new (At) std::atomic<unsigned>(0);
  ~arrivals() { munmap(At, sizeof(unsigned)); }
};

/// Runs to its end, or until the calls say that a node was lost; never on and on.
template <class Program> void untilLost(member &M, std::atomic<unsigned> &Ready) {
  manager Here(M.Hosts, M.Me, M.settings());
  auto Try = [&](auto Do) {
    try {
      Do();
    } catch (const lost &) {
      CHECK(Here.health() == status::peer_lost);
    } catch (const error &) {
      CHECK(Here.health() == status::peer_lost);
    }
  };
  Try([&] {
    Program Running(Here);
    Here.wait_for_ready(60s);
    ++Ready;
    std::vector<std::thread> Threads;
    for (unsigned Index = 0; Index < Here.threads(); ++Index)
      Threads.emplace_back([&, Index] {
        Try([&] {
          Here.attach_thread(Index);
          Running.run(Here, Index);
        });
      });
    for (std::thread &T : Threads)
      T.join();
  });
}

template <class Program> bool killed(const plan &Plan, std::mt19937_64 &Draw) {
  arrivals Shared;
  std::size_t Victim = Draw() % Plan.Nodes;
  auto After = std::chrono::microseconds(Draw() % 60000);
  return runGroup(
             Plan, [&](member &M) { untilLost<Program>(M, Shared.Ready); },
             [&](std::vector<int> &Pids) {
               for (unsigned Waited = 0; Shared.Ready != Plan.Nodes && Waited < 60000; ++Waited)
                 std::this_thread::sleep_for(1ms);
               std::this_thread::sleep_for(After);
               kill(Pids[Victim], SIGKILL);
             })
      .Good;
}

bool programsKilled(const plan &Plan) {
  std::mt19937_64 Draw(Plan.Seed);
  for (std::uint64_t Round = 0; Round < Plan.Rounds; ++Round)
    if (!killed<pool>(Plan, Draw) || !killed<replicas<strong_lock>>(Plan, Draw) ||
        !killed<replicas<weak_lock>>(Plan, Draw) || !killed<cache>(Plan, Draw))
      return false;
  return true;
}

add E("programs-killed", std::function<bool(const plan &)>(programsKilled));

} // namespace

} // namespace rdma::objects::test

// What somebody who has read the pages may get wrong, or do in an order that nobody thought of: it ends with
// a status or an error that says why, and nobody hangs.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/power.h"
#include "rdma/objects/sc.h"
#include "test/objects/Group.h"

#include <thread>
#include <type_traits>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

template <class... Objects>
constexpr bool Stay = (!(std::is_move_constructible_v<Objects> || std::is_move_assignable_v<Objects>) && ...);
static_assert(Stay<manager, channel, ack, endpoint, shared_var<int>, sst<int>, owned_var<int>, atomic_var,
                   barrier, ring, msw<long>, weak_lock, strong_lock, node_lock, ticket_lock, tas_lock,
                   lock_table, fifo, sc<int>, locked<long>, kvstore<int, int>, kvstore<int, int>::pending,
                   kvstore<int, int>::updating, accounts, power_controller>,
              "peers know where an object's memory is, and its threads where the object is");

options ofThreads(unsigned Threads) {
  options O;
  O.threads = Threads;
  return O;
}

/// That thread of each node.
std::vector<thread_id> row(const manager &Here, unsigned Index) {
  std::vector<thread_id> All;
  for (node_id N : Here.all())
    All.push_back({N, Index});
  return All;
}
std::vector<thread_id> firsts(const manager &Here) { return row(Here, 0); }

/// Attached to its manager as that thread; what it throws ends the process.
std::thread inThread(manager &Here, unsigned Index, std::function<void()> Body) {
  return std::thread([&Here, Index, Body = std::move(Body)] {
    try {
      Here.attach_thread(Index);
      Body();
    } catch (const std::exception &E) {
      fail(std::string("exception: ") + E.what());
    }
  });
}

/// A thread of node 0 ends with the lock in its hand. The other one waits for it, and so does every other
/// node: node 0 gives up, and all hear of it.
template <class Lock, class... Given> bool holding(const plan &Plan, Given... More) {
  return runGroup(Plan,
                  [More...](member &M) {
                    manager Here(M.Hosts, M.Me, ofThreads(2));
                    Lock L("lock", Here, node_id(0), More...);
                    barrier Meet("meet", Here, firsts(Here)), Again("again", Here, row(Here, 1));
                    Here.wait_for_ready(60s);
                    inThread(Here, 0, [&] {
                      if (M.Me == 0)
                        OK(L.acquire());
                      OK(Meet.wait());
                    }).join();
                    std::atomic<bool> AllCame{false};
                    std::thread Other = inThread(Here, 1, [&] {
                      status S = Again.wait(); // some may still be there when node 0 gives up
                      AllCame = true;
                      if (S == status::ok)
                        S = L.acquire();
                      CHECK(S == status::peer_lost || (M.Me == 0 && S == status::stopped));
                    });
                    if (M.Me == 0) {
                      while (!AllCame)
                        std::this_thread::sleep_for(1ms);
                      std::this_thread::sleep_for(50ms);
                      Here.give_up("a thread has ended with the lock");
                    }
                    Other.join();
                    CHECK(Here.why().ends_with("a thread has ended with the lock"));
                  })
      .Good;
}

bool held(const plan &Given) {
  plan Plan = Given;
  Plan.Nodes = 3;
  return holding<weak_lock>(Plan) && holding<strong_lock>(Plan) && holding<node_lock>(Plan) &&
         holding<ticket_lock>(Plan, strength::weak) && holding<ticket_lock>(Plan, strength::strong) &&
         holding<tas_lock>(Plan);
}

/// The same, and the others of the node want something done under it.
void heldWhileServed(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(3));
  tas_lock L("lock", Here, 0);
  Here.wait_for_ready(60s);
  if (M.Me != 0)
    return;
  inThread(Here, 0, [&] { OK(L.acquire()); }).join();
  std::atomic<unsigned> Ran = 0;
  std::vector<std::thread> Others;
  for (unsigned I : {1u, 2u})
    Others.push_back(inThread(Here, I, [&] { CHECK(L.run([&] { ++Ran; }) == status::stopped); }));
  std::this_thread::sleep_for(50ms);
  Here.stop();
  for (std::thread &T : Others)
    T.join();
  CHECK(Ran == 0);
}

/// Node 0 ends while the others wait for it, after the time that its options give them.
void left(member &M) {
  options O = ofThreads(4);
  if (M.Me == 0)
    O.leave = 100ms;
  manager Here(M.Hosts, M.Me, O);
  std::vector<thread_id> Readers;
  for (node_id N : Here.all().without(0))
    Readers.push_back({N, 0});
  ring News("news", Here, {0, 0}, Readers, 16);
  weak_lock Lock("lock", Here, 1);
  barrier Meet("meet", Here), Begin("begin", Here, firsts(Here));
  shared_var<int> Flag("flag", Here);
  Here.wait_for_ready(60s);
  if (M.Me == 0) {
    inThread(Here, 0, [&] {
      OK(Lock.acquire());
      OK(Begin.wait());
    }).join();
    return;
  }
  auto Until = [&](auto &&Done) {
    waiting Wait(Here.here());
    status S = status::ok;
    while (!Done() && S == status::ok)
      S = Wait.step();
    return S;
  };
  std::atomic<bool> IsHeld = false;
  std::vector<std::thread> Threads;
  Threads.push_back(inThread(Here, 0, [&] {
    OK(Begin.wait());
    IsHeld = true;
    CHECK(Until([&] { return News.try_receive().has_value(); }) == status::peer_lost);
  }));
  Threads.push_back(
      inThread(Here, 1, [&] { CHECK(Until([&] { return Flag.load() == 1; }) == status::peer_lost); }));
  Threads.push_back(inThread(Here, 2, [&] { CHECK(Meet.wait_nofence() == status::peer_lost); }));
  Threads.push_back(inThread(Here, 3, [&] {
    while (!IsHeld)
      std::this_thread::sleep_for(1ms);
    CHECK(Lock.acquire() == status::peer_lost);
  }));
  for (std::thread &T : Threads)
    T.join();
  CHECK(!Here.why().empty());
}

/// Two nodes of one process, each in a thread, and two memberships in one process, which end in another order
/// on each node.
void twoManagers(member &M) {
  auto Port = [&](unsigned N) { return "127.0.0.1:" + std::to_string(7300 + N); };
  std::map<node_id, std::string> Inner = {{0, Port(2 * M.Me)}, {1, Port(2 * M.Me + 1)}};
  auto Node = [&](node_id Me) {
    manager Here(Inner, Me);
    barrier Meet("meet", Here);
    atomic_var Count("count", Here, 1);
    Here.wait_for_ready(60s);
    Here.attach_thread();
    word Old;
    OK(Count.fetch_add(1, Old));
    OK(Meet.wait());
    OK(Count.load(Old));
    CHECK(Old == 2);
    OK(Meet.wait());
  };
  std::thread First(Node, 0), Second(Node, 1);
  First.join();
  Second.join();

  std::map<node_id, std::string> Others;
  for (const auto &[N, Host] : M.Hosts)
    Others[N] = Port(100 + N);
  auto A = std::make_unique<manager>(M.Hosts, M.Me), B = std::make_unique<manager>(Others, M.Me);
  {
    barrier MeetA("meet", *A), MeetB("meet", *B);
    A->wait_for_ready(60s);
    B->wait_for_ready(60s);
    A->attach_thread();
    B->attach_thread();
    for (unsigned I = 0; I < 20; ++I) {
      OK(MeetA.wait());
      OK(MeetB.wait());
    }
  }
  A.reset();
  B->detach_thread();
  B->attach_thread();
  OK(B->fence());
}

/// Objects go in another order on each node, while the others use them still.
void anyEnd(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(1));
  auto Meet = std::make_unique<barrier>("meet", Here);
  auto Queue = std::make_unique<fifo>("queue", Here, 0, 8);
  auto Store = std::make_unique<kvstore<int, int>>("store", Here);
  auto Bank = std::make_unique<accounts>("bank", Here, 6, 10);
  auto Word = std::make_unique<sc<long>>("word", Here, 1);
  auto Lock = std::make_unique<tas_lock>("lock", Here, 2);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  OK(Meet->wait());
  if (M.Me == 0)
    Queue.reset(), Lock.reset();
  if (M.Me == 1)
    Word.reset(), Meet.reset();
  if (M.Me == 2)
    Bank.reset();
  if (Queue)
    OK(Queue->enqueue(M.Me));
  if (Bank)
    OK(Bank->transfer(M.Me, 2, 1));
  if (Word)
    Word->write(1);
  if (Lock)
    OK(Lock->run([] {}));
  CHECK(Store->insert(static_cast<int>(M.Me), 1));
  if (M.Me == 0)
    Store.reset(), Bank.reset();
  else
    Bank.reset(), Store.reset();
}

/// A throw inside leaves every lock free.
void thrown(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(1));
  weak_lock Weak("weak", Here, 0);
  strong_lock Strong("strong", Here, 1);
  node_lock Node("node", Here, 2);
  tas_lock Tas("tas", Here, 0);
  locked<long> Board("board", Here, 1);
  barrier Meet("meet", Here);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  auto Throws = [](auto &&Do) {
    try {
      Do();
    } catch (int) {
      return;
    }
    fail("nothing was thrown");
  };
  auto Under = [&](auto &Lock) {
    Throws([&] {
      std::lock_guard Guard(Lock);
      throw 1;
    });
  };
  for (unsigned I = 0; I < 5; ++I) {
    Under(Weak);
    Under(Strong);
    Under(Node);
    Under(Tas);
    Throws([&] { (void)Tas.run([] { throw 1; }); });
    Throws([&] { Board.with([](long &) { throw 1; }); });
    Throws([&] {
      Board.with([](long &Value) {
        ++Value;
        throw 1;
      });
    });
    Board.with([](long &Value) { Value += 2; });
  }
  OK(Meet.wait());
  CHECK(Board.with([](long &Value) { return Value; }) == long(10 * M.Plan.Nodes));
  OK(Meet.wait());
}

/// Sizes that no memory has, also those that are small when they overflow.
void sizes(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(1));
  const std::size_t All = ~std::size_t(0), Half = All / 2 + 1;
  auto Refused = [](auto &&Make) {
    try {
      Make();
    } catch (const error &) {
      return;
    }
    fail("no error");
  };
  unsigned Number = 0;
  auto Name = [&] { return "x" + std::to_string(++Number); };
  std::vector<thread_id> One = {{0, 0}};
  for (std::size_t Size : {All, All - 62, Half, All / 8 + 2, All / 64 + 2, All / 128 + 2}) {
    Refused([&] { (void)Here.allocate(Size); });
    Refused([&] { ring R(Name(), Here, {0, 0}, One, Size); });
    Refused([&] { fifo F(Name(), Here, 0, Size); });
    Refused([&] { accounts A(Name(), Here, Size, 1); });
    Refused([&] { kvstore<int, int> K(Name(), Here, {.slots = Size}); });
    Refused([&] { kvstore<int, int> K(Name(), Here, {.locks = Size}); });
    Refused([&] { kvstore<int, int> K(Name(), Here, {.messages = Size}); });
  }
}

/// A ring in the hands of those whom it is not for, and in the wrong order.
void ringTurns(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(2));
  std::vector<thread_id> Readers = {{1, 0}};
  ring News("news", Here, {0, 0}, Readers, 8);
  barrier Meet("meet", Here, firsts(Here));
  Here.wait_for_ready(60s);
  std::vector<word> Seven(7, 5), Eight(8, 6);
  inThread(Here, 1, [&] {
    CHECK(News.submit(Seven) == status::not_owner);
    CHECK(!News.try_receive() && !News.peek());
    News.release();
  }).join();
  inThread(Here, 0, [&] {
    if (M.Me == 1) {
      News.release(); // there is nothing to give back
      News.release();
    }
    OK(Meet.wait());
    if (M.Me == 0) {
      CHECK(News.submit(Eight) == status::full && !News.try_submit(Eight));
      OK(News.submit({}));
      for (unsigned I = 0; I < 20; ++I)
        OK(News.submit(Seven));
    }
    if (M.Me == 1) {
      waiting Wait(Here.here());
      for (unsigned I = 0; I < 21;) {
        if (auto Message = News.peek()) {
          CHECK(Message->size() == (I ? 7 : 0) && (I == 0 || Message->back() == 5));
          News.release();
          News.release();
          ++I;
        } else {
          OK(Wait.step());
        }
      }
      CHECK(!News.try_receive());
    }
    OK(Meet.wait());
  }).join();
}

/// A number is one thread's at a time, and another's when it has been given back.
void numbers(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(2));
  Here.wait_for_ready(60s);
  auto Refused = [&](auto... Index) {
    std::thread([&] {
      try {
        Here.attach_thread(Index...);
      } catch (const error &) {
        return;
      }
      fail("a thread too many");
    }).join();
  };
  Here.attach_thread(1);
  Refused(1u);
  for (unsigned I = 0; I < 3; ++I)
    std::thread([&] {
      Here.attach_thread();
      CHECK(Here.thread_index() == 0);
      Refused();
      Refused(0u);
      Here.detach_thread();
    }).join();
  Here.detach_thread();
  Here.attach_thread();
  CHECK(Here.thread_index() == 0);
  Refused(0u);
}

/// A node that there is not has no copy; what is pushed to it goes nowhere.
void strangers(member &M) {
  manager Here(M.Hosts, M.Me, ofThreads(1));
  shared_var<int> Flag("flag", Here);
  msw<std::array<word, 3>> Where("where", Here);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  for (node_id Stranger : {Here.nodes(), max_nodes, ~node_id(0)}) {
    ack Done;
    auto Refused = [&](auto &&Call) {
      try {
        OK(Call());
      } catch (const std::out_of_range &) {
        return;
      }
      fail("a copy of nobody's");
    };
    Refused([&] { return Flag.pull(Stranger, Done); });
    Refused([&] { return Where.get(Stranger, Done); });
    OK(Flag.push({Stranger}, &Done));
    OK(Where.put({Stranger}, &Done));
    CHECK(Done.done());
  }
}

/// Memory that the card may not touch. The membership ends, and says for what.
void memory(member &M, unsigned Way, const char *Words) {
  manager Here(M.Hosts, M.Me, ofThreads(1));
  channel C("c", Here);
  region Mine = C.own("x", 64);
  const remote &Next = C.other((M.Me + 1) % Here.nodes(), "x", 64);
  C.join();
  channel Unjoined("u", Here);
  Unjoined.own("x", 64);
  barrier Meet("meet", Here);
  const remote &Nowhere = Unjoined.other((M.Me + 1) % Here.nodes(), "x", 64);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  if (status S = Meet.wait(); M.Me == 0) {
    OK(S); // of the others node 0 may have gone before they saw it there
    endpoint &E = Here.here();
    word Outside = 0;
    ack Done;
    std::array<word, 2048> Large{}; // inlined: more than any card takes
    status Failed = Way == 0   ? E.get(&Outside, Next, sizeof Outside, Done)
                    : Way == 1 ? E.put(Next, Large.data(), sizeof Large, &Done, inlined)
                    : Way == 2 ? E.get(Mine.words(), Next.at(std::size_t(1) << 40), sizeof(word), Done)
                    : Way == 3 ? E.put(Nowhere, Mine.data, sizeof(word), &Done)
                               : E.fetch_add(Mine.words(), Next.at(4), 1, Done);
    if (Failed == status::ok)
      Failed = Done.wait();
    CHECK(Failed == status::peer_lost);
    if (Here.why().find(Words) == std::string::npos)
      fail("way " + std::to_string(Way) + ": " + Here.why());
  }
}

bool memories(const plan &Plan) {
  const char *const Words[] = {"local protection", "not posted", "remote access", "remote access", "remote"};
  for (unsigned Way = 0; Way < std::size(Words); ++Way)
    if (!runGroup(Plan, [&](member &M) { memory(M, Way, Words[Way]); }).Good)
      return false;
  return true;
}

/// What is under way when it goes, or when what it belongs to has gone.
void underWay(member &M) {
  using store = kvstore<int, int>;
  auto Here = std::make_unique<manager>(M.Hosts, M.Me, ofThreads(1));
  barrier Meet("meet", *Here);
  channel C("c", *Here);
  region Mine = C.own("x", 64);
  const remote &Next = C.other((M.Me + 1) % Here->nodes(), "x", 64);
  C.join();
  ack Late;
  {
    store Store("store", *Here);
    Here->wait_for_ready(60s);
    Here->attach_thread();
    CHECK(Store.insert(static_cast<int>(M.Me), 1));
    OK(Meet.wait());
    for (int I = 0; I < 20; ++I) {
      store::pending Read(Store);
      store::updating First(Store), Second(Store);
      Store.lookup_async(I % 3, Read);
      Store.update_async(I % 3, I, First);
      Store.update_async((I + 1) % 3, I, Second);
      ack Gone;
      OK(Here->here().get(Mine.words(), Next, sizeof(word), Gone));
    }
    CHECK(Store.update(0, 5)); // nothing of the above is in the way
    OK(Meet.wait());
    CHECK(Store.lookup(0) == 5);
    OK(Here->here().put(Next, Mine.data, sizeof(word), &Late));
    OK(Meet.wait());
    Here->detach_thread();
    CHECK(Late.done());
    {
      store::updating Unused(Store); // by a thread that is not attached
    }
    Here->attach_thread();
    OK(Here->here().put(Next, Mine.data, sizeof(word), &Late));
    OK(Meet.wait());
  }
  OK(Late.wait());
}

add A("misuse-held", std::function<bool(const plan &)>(held)), B("misuse-held-while-served", heldWhileServed),
    C("misuse-left", left), D("misuse-two-managers", twoManagers), E("misuse-any-end", anyEnd),
    F("misuse-thrown", thrown), G("misuse-sizes", sizes), H("misuse-ring", ringTurns),
    I("misuse-numbers", numbers), L("misuse-strangers", strangers),
    J("misuse-memory", std::function<bool(const plan &)>(memories)), K("misuse-under-way", underWay);

} // namespace

} // namespace rdma::objects::test

// A node is killed at a random moment: the others get peer_lost (or an error of set-up) from whatever they
// are doing.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/msw.h"
#include "rdma/objects/sc.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Everything that can be waited for.
struct everything {
  manager &Here;
  barrier Meet;
  ring Ring;
  node_lock Node;
  weak_lock Weak;
  strong_lock Strong;
  ticket_lock Ticket;
  tas_lock Tas;
  fifo Queue;
  kvstore<std::uint64_t, std::uint64_t> Store;
  accounts Bank;
  sc<long> Word;
  locked<std::array<long, 4>> Board;
  atomic_var Counter;
  msw<std::array<long, 4>> Value;
  std::uint64_t Round = 0; ///< of the store's thread
  explicit everything(manager &Here, unsigned Kinds)
      : Here(Here), Meet("meet", Here, row(Here, 0)), Ring("ring", Here, {0, 1}, readers(Here), 32),
        Node("node", Here, 1), Weak("weak", Here, 2), Strong("strong", Here, 1),
        Ticket("ticket", Here, 0, strength::node), Tas("tas", Here, 2), Queue("queue", Here, 0, 8),
        Store("store", Here), Bank("bank", Here, 8, 100), Word("word", Here, 1), Board("board", Here, 2),
        Counter("counter", Here, 0), Value("value", Here) {
    CHECK(works().size() == Kinds);
  }

  static std::vector<thread_id> row(manager &Here, unsigned Index) {
    std::vector<thread_id> All;
    for (node_id N : Here.all())
      All.push_back({N, Index});
    return All;
  }
  static std::vector<thread_id> readers(manager &Here) {
    std::vector<thread_id> All = row(Here, 1);
    All.erase(All.begin());
    return All;
  }
  template <class Lock> static status useLock(Lock &L) {
    if (status S = L.acquire(); S != status::ok)
      return S;
    return L.release();
  }
  status ringStep(waiting &Wait) {
    if (Here.me() == 0)
      return Ring.submit(std::vector<word>(3, 7));
    return Ring.try_receive() ? status::ok : Wait.step();
  }
  status queueStep(waiting &Wait) {
    std::uint32_t Taken;
    status S = Here.me() == 0 ? Queue.enqueue(7) : Queue.dequeue(Taken);
    return S == status::full || S == status::empty ? Wait.step() : S;
  }
  status storeStep() {
    ++Round;
    (void)(Round % 2 ? Store.insert(Round % 64, Round) : Store.erase(Round % 64));
    return status::ok;
  }
  status pushAndPull() {
    ack Done;
    if (status S = Value.put(Here.all(), &Done); S != status::ok)
      return S;
    if (status S = Done.wait(); S != status::ok)
      return S;
    if (status S = Value.get((Here.me() + 1) % Here.nodes(), Done); S != status::ok)
      return S;
    return Done.wait();
  }
  status count() {
    word Before;
    return Counter.fetch_add(1, Before);
  }

  /// One step of each thread.
  std::vector<std::function<status(waiting &)>> works() {
    return {[&](waiting &) { return Meet.wait(); },
            [&](waiting &Wait) { return ringStep(Wait); },
            [&](waiting &) { return std::lock_guard(Node), status::ok; },
            [&](waiting &) { return useLock(Weak); },
            [&](waiting &) { return useLock(Strong); },
            [&](waiting &) { return useLock(Ticket); },
            [&](waiting &) { return useLock(Tas); },
            [&](waiting &) { return Tas.run([] {}); },
            [&](waiting &Wait) { return queueStep(Wait); },
            [&](waiting &) { return storeStep(); },
            [&](waiting &) { return Bank.transfer(Here.me(), Here.me() + 3, 1); },
            [&](waiting &) { return Word.write(Word.read() + 1), status::ok; },
            [&](waiting &) { return Board.with([](auto &B) { ++B[0]; }), status::ok; },
            [&](waiting &) { return count(); },
            [&](waiting &) { return pushAndPull(); }};
  }
};

/// Until something is not ok.
status work(manager &Here, const std::function<status(waiting &)> &Step) {
  waiting Wait(Here.here());
  for (;;)
    if (status S = Step(Wait); S != status::ok)
      return S;
}

void untilLost(member &M, std::atomic<unsigned> *Ready) {
  constexpr unsigned Kinds = 15;
  try {
    options O;
    O.threads = Kinds;
    manager Here(M.Hosts, M.Me, O);
    everything All(Here, Kinds);
    Here.wait_for_ready(Ready ? 60s : 2s);
    if (Ready)
      ++*Ready;
    std::vector<std::thread> Threads;
    for (unsigned Kind = 0; Kind < Kinds; ++Kind)
      Threads.emplace_back([&, Kind] {
        status S = status::peer_lost;
        try {
          Here.attach_thread(Kind);
          S = work(Here, All.works()[Kind]);
        } catch (const error &E) {
          CHECK(std::string(E.what()).find("lost") != std::string::npos);
        }
        CHECK(S == status::peer_lost || Here.health() == status::peer_lost);
      });
    for (std::thread &T : Threads)
      T.join();
    CHECK(!Ready || Here.why().ends_with(" is gone"));
  } catch (const error &) { // it was killed before all were there
    CHECK(!Ready);
  }
}

/// Of all processes of a run.
class shared_count {
  void *At = mmap(nullptr, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

public:
  std::atomic<unsigned> &Value = *new (At) std::atomic<unsigned>(0);
  ~shared_count() { munmap(At, sizeof(unsigned)); }
};

/// In every second round the node is killed while all are at work, in the others also while they meet.
bool killed(const plan &Plan) {
  std::mt19937_64 Draw(Plan.Seed);
  shared_count Shared;
  std::atomic<unsigned> &Ready = Shared.Value;
  for (std::uint64_t I = 0; I < Plan.Rounds; ++I) {
    plan One = Plan;
    One.Seed = Plan.Seed + I;
    std::size_t Victim = Draw() % Plan.Nodes;
    bool AtWork = I % 2;
    auto After = std::chrono::milliseconds(Draw() % (AtWork ? 60 : 400));
    Ready = 0;
    outcome Result = runGroup(
        One, [&](member &M) { untilLost(M, AtWork ? &Ready : nullptr); },
        [&](std::vector<int> &Pids) {
          for (unsigned Waited = 0; AtWork && Ready != Plan.Nodes && Waited < 60000; ++Waited)
            std::this_thread::sleep_for(1ms);
          std::this_thread::sleep_for(After);
          kill(Pids[Victim], SIGKILL);
        });
    if (!Result.Good)
      return false;
  }
  return true;
}

/// Node 0 says goodbye and goes at once; the others hear that it has left, not that it is gone, whenever they
/// come to hear of either.
void leaveAtOnce(member &M, std::atomic<unsigned> &Heard) {
  options O = M.settings();
  if (M.Me == 0)
    O.leave = 0ms;
  manager Here(M.Hosts, M.Me, O);
  Here.wait_for_ready(60s);
  if (M.Me == 0)
    return;
  while (Here.health() == status::ok)
    std::this_thread::sleep_for(1ms);
  CHECK(Here.why() == "node 0 has left");
  try {
    Here.attach_thread();
    fail("attached, with a node that has left");
  } catch (const error &E) {
    CHECK(std::string(E.what()).ends_with(": a node was lost: node 0 has left"));
  }
  ++Heard; // one that goes before the others have heard is gone
  while (Heard + 1 < M.Plan.Nodes)
    std::this_thread::sleep_for(1ms);
}

bool leave(const plan &Plan) {
  shared_count Heard;
  return runGroup(Plan, [&](member &M) { leaveAtOnce(M, Heard.Value); }).Good;
}

add B("leave", std::function<bool(const plan &)>(leave));
add A("killed", std::function<bool(const plan &)>(killed));

} // namespace

} // namespace rdma::objects::test

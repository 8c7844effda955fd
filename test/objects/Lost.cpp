// A node is killed at a random moment: the others get peer_lost (or an error of set-up) from whatever they
// are doing.
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/sc.h"
#include "test/objects/Group.h"

#include <csignal>
#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// One thread's work, a different kind for each; ends when something is not ok.
status work(manager &Here, unsigned Kind, barrier &Meet, ring &Ring, node_lock &Lock, weak_lock &Weak,
            fifo &Queue, kvstore<std::uint64_t, std::uint64_t> &Store) {
  waiting Wait(Here.here());
  for (std::uint64_t I = 0;; ++I) {
    std::uint32_t Value = 0;
    status S = status::ok;
    switch (Kind) {
    case 0:
      S = Meet.wait();
      break;
    case 1:
      S = Lock.acquire();
      if (S == status::ok)
        S = Lock.release();
      break;
    case 2:
      S = Weak.acquire();
      if (S == status::ok)
        S = Weak.release();
      break;
    case 3:
      S = I % 2 ? Queue.enqueue(7) : Queue.dequeue(Value);
      if (S == status::full || S == status::empty)
        S = Wait.step();
      break;
    case 4:
      if (Here.me() == 0)
        S = Ring.submit(std::vector<word>(3, I));
      else if (!Ring.try_receive())
        S = Wait.step();
      break;
    default:
      (void)(I % 2 ? Store.insert(I % 64, I) : Store.erase(I % 64));
    }
    if (S != status::ok)
      return S;
  }
}

void untilLost(member &M) {
  constexpr unsigned Kinds = 6;
  try {
    options O;
    O.threads = Kinds;
    manager Here(M.Hosts, M.Me, O);
    std::vector<thread_id> First, Readers;
    for (node_id N : Here.all())
      First.push_back({N, 0}), Readers.push_back({N, 4});
    Readers.erase(Readers.begin());
    barrier Meet("meet", Here, First);
    ring Ring("ring", Here, {0, 4}, Readers, 32);
    node_lock Lock("lock", Here, 1);
    weak_lock Weak("weak", Here, 2);
    fifo Queue("queue", Here, 0, 8);
    kvstore<std::uint64_t, std::uint64_t> Store("store", Here);
    Here.wait_for_ready(2s);
    std::vector<std::thread> Threads;
    for (unsigned Kind = 0; Kind < Kinds; ++Kind)
      Threads.emplace_back([&, Kind] {
        status S = status::peer_lost;
        try {
          Here.attach_thread(Kind);
          S = work(Here, Kind, Meet, Ring, Lock, Weak, Queue, Store);
        } catch (const error &E) {
          CHECK(std::string(E.what()).find("lost") != std::string::npos);
        }
        CHECK(S == status::peer_lost || Here.health() == status::peer_lost);
      });
    for (std::thread &T : Threads)
      T.join();
  } catch (const error &) { // it was killed before all were there
  }
}

bool killed(const plan &Plan) {
  std::mt19937_64 Draw(Plan.Seed);
  for (std::uint64_t I = 0; I < Plan.Rounds; ++I) {
    plan One = Plan;
    One.Seed = Plan.Seed + I;
    std::size_t Victim = Draw() % Plan.Nodes;
    auto After = std::chrono::milliseconds(Draw() % 400);
    outcome Result = runGroup(One, untilLost, [&](std::vector<int> &Pids) {
      std::this_thread::sleep_for(After);
      kill(Pids[Victim], SIGKILL);
    });
    if (!Result.Good)
      return false;
  }
  return true;
}

/// Node 0 says goodbye and goes at once; for the others it has left, and is not lost, whenever they come to
/// hear of either.
void leaveAtOnce(member &M) {
  options O = M.settings();
  if (M.Me == 0)
    O.leave = 0ms;
  manager Here(M.Hosts, M.Me, O);
  Here.wait_for_ready(60s);
  if (M.Me == 0)
    return;
  for (unsigned I = 0; I < 30; ++I) {
    OK(Here.health());
    std::this_thread::sleep_for(5ms);
  }
}

add B("leave", leaveAtOnce);
add A("killed", std::function<bool(const plan &)>(killed));

} // namespace

} // namespace rdma::objects::test

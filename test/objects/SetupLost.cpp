// A node is killed during set-up: the others learn of it at once, and which one it was, also those that
// had not met it.
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Flags that all processes of a run share.
struct flags {
  std::atomic<bool> Ready{false}, Killed{false};
};
class shared_flags {
  void *At = mmap(nullptr, sizeof(flags), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

public:
  flags &All = *new (At) flags;
  ~shared_flags() { munmap(At, sizeof(flags)); }
};

void await(const std::atomic<bool> &Flag) {
  while (!Flag)
    std::this_thread::sleep_for(1ms);
}

[[noreturn]] void die(flags &F) {
  F.Killed = true;
  raise(SIGKILL);
  std::abort();
}

/// Long before the time is over. (Until the victim has ended, there may be nothing to wait for.)
void mustHear(manager &Here, node_id Victim) {
  auto Begun = std::chrono::steady_clock::now();
  try {
    for (; std::chrono::steady_clock::now() - Begun < 50s; std::this_thread::sleep_for(1ms))
      Here.wait_for_ready(100s);
  } catch (const error &E) {
    std::string Who = "node " + std::to_string(Victim);
    if (E.peer != Victim || !std::string(E.what()).starts_with(Who) ||
        std::string(E.what()).find("was lost during set-up") == std::string::npos)
      fail("expected the loss of " + Who + ", got '" + E.what() + "'");
    CHECK(std::chrono::steady_clock::now() - Begun < 50s && Here.health() == status::peer_lost);
    return;
  }
  fail("no error");
}

/// Waits until only node 2 is missing.
void awaitOthers(manager &Here) {
  for (;;)
    try {
      Here.wait_for_ready(2s); // an attempt that is broken off looks like a node that comes twice
    } catch (const error &Missing) {
      if (Missing.peer == 2)
        return;
    }
}

/// Node 1 is killed while node 0 waits for it and for one that never comes.
void besideMissing(member &M, flags &F) {
  if (M.Me == 2)
    return;
  manager Here(M.Hosts, M.Me, M.settings());
  if (M.Me == 0)
    return mustHear(Here, 1);
  awaitOthers(Here);
  die(F);
}

/// Node 0 is killed when node 1 has not met it yet; node 2 has met both, and does something else.
void toldByOthers(member &M, flags &F) {
  manager Here(M.Hosts, M.Me, M.settings());
  if (M.Me == 0) {
    await(F.Ready);
    die(F);
  }
  if (M.Me == 1) {
    await(F.Killed);
    return mustHear(Here, 0);
  }
  Here.wait_for_ready(100s);
  F.Ready = true;
  while (Here.health() == status::ok)
    std::this_thread::sleep_for(1ms);
}

/// Node 2 is killed while the others wait for a channel of the third.
void besideMissingChannel(member &M, flags &F) {
  manager Here(M.Hosts, M.Me, M.settings());
  if (M.Me == 2) {
    Here.wait_for_ready(100s);
    await(F.Ready);
    die(F);
  }
  if (M.Me == 0) {
    channel Both("both", Here, {0, 1}); // node 1 has none yet
    Both.join();
    F.Ready = true;
    return mustHear(Here, 2);
  }
  await(F.Killed);
  mustHear(Here, 2);
}

bool killedDuringSetUp(const plan &Plan) {
  for (auto Body : {besideMissing, toldByOthers, besideMissingChannel}) {
    plan Three = Plan;
    Three.Nodes = 3;
    shared_flags Shared;
    auto Run = [&](member &M) { Body(M, Shared.All); };
    if (!runGroup(Three, Run, [](std::vector<int> &) {}).Good)
      return false;
  }
  return true;
}

/// What the process has open, and runs.
struct held {
  std::ptrdiff_t Files, Threads, Mappings;
  friend bool operator==(const held &, const held &) = default;
};

held count() {
  auto entries = [](const char *Folder) {
    return std::distance(std::filesystem::directory_iterator(Folder), std::filesystem::directory_iterator());
  };
  std::ifstream Maps("/proc/self/maps");
  std::ptrdiff_t Mappings = 0;
  for (std::string Line; std::getline(Maps, Line);)
    Mappings += Line.find("rdma-window") != std::string::npos; // of regions
  return {entries("/proc/self/fd"), entries("/proc/self/task"), Mappings};
}

/// Memberships that come to nothing, one after the other: each leaves what the first left, the device's
/// own.
void giveBack(member &M) {
  if (M.Me != 0)
    return;
  std::optional<held> First;
  for (unsigned Round = 0; Round < 4; ++Round) {
    try {
      manager Here(M.Hosts, M.Me, M.settings());
      shared_var<int> X("x", Here);
      Here.wait_for_ready(50ms);
      fail("no error");
    } catch (const error &) { // the others are not there
    }
    held Now = count();
    if (First && !(Now == *First))
      fail("left open: files " + std::to_string(First->Files) + " to " + std::to_string(Now.Files) +
           ", threads " + std::to_string(First->Threads) + " to " + std::to_string(Now.Threads) +
           ", mappings " + std::to_string(First->Mappings) + " to " + std::to_string(Now.Mappings));
    First = Now;
  }
}

add B("setup-gives-back", giveBack);
add A("setup-killed", std::function<bool(const plan &)>(killedDuringSetUp));

} // namespace

} // namespace rdma::objects::test

// Set-up: any start order, and one clear error for what is missing or does not fit.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/sc.h"
#include "rdma/objects/vars.h"
#include "runtime/device/AbstractName.h"
#include "test/objects/Group.h"

#include <thread>
#include <unistd.h>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Calls Do, which must throw error with these words in it, within the time; the error.
error mustThrow(const char *Words, std::chrono::milliseconds Within, const std::function<void()> &Do) {
  auto Begun = std::chrono::steady_clock::now();
  try {
    Do();
  } catch (const error &E) {
    if (std::string(E.what()).find(Words) == std::string::npos)
      fail(std::string("expected '") + Words + "', got '" + E.what() + "'");
    CHECK(std::string(E.what()).find('\n') == std::string::npos);
    CHECK(std::chrono::steady_clock::now() - Begun < Within);
    return E;
  }
  fail(std::string("no error: expected '") + Words + "'");
}

void anyOrder(member &M) {
  std::this_thread::sleep_for(std::chrono::milliseconds(M.random()() % 200));
  manager Here(M.Hosts, M.Me, M.settings());
  std::this_thread::sleep_for(std::chrono::milliseconds(M.random(1)() % 50));
  barrier Meet("meet", Here);
  shared_var<int> Later("later", Here, 3);
  Here.wait_for_ready(60s);
  std::this_thread::sleep_for(std::chrono::milliseconds(M.random(2)() % 50));
  shared_var<int> Last("last", Here, 4); // a channel made when others are ready
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) { OK(Meet.wait()); });
}

/// Waits for the others, of which that one never comes: says so, and how long it was asked to wait.
void mustMiss(member &M, node_id Absent, std::chrono::milliseconds Timeout) {
  manager Here(M.Hosts, M.Me, M.settings());
  std::string Words = "node " + std::to_string(Absent) + " (" + M.Hosts[Absent] + ") is missing after " +
                      std::to_string(Timeout.count()) + " ms";
  error Missing = mustThrow(Words.c_str(), 60s, [&] { Here.wait_for_ready(Timeout); });
  CHECK(Missing.peer == Absent && Missing.channel.empty());
}

void missingNode(member &M) {
  if (node_id Last = M.Plan.Nodes - 1; M.Me != Last)
    mustMiss(M, Last, 400ms);
}

void missingFirst(member &M) {
  if (M.Me != 0)
    mustMiss(M, 0, 400ms);
}

/// Node 0 is late, so that the last node begins late to look for node 1.
void missingLater(member &M) {
  if (M.Me == 0)
    std::this_thread::sleep_for(150ms);
  if (M.Me != 1)
    mustMiss(M, 1, M.Me == 0 ? 2000ms : 400ms);
}

/// Set-up in which node 0 and the others differ; every node sees an error with one of the words.
void mismatch(member &M, const char *Words, const std::function<void(manager &)> &Make) {
  manager Here(M.Hosts, M.Me, M.settings());
  mustThrow(Words, 60s, [&] { Make(Here); });
}

void sizeMismatch(member &M) {
  mismatch(M, "bytes in region 'x'", [&](manager &Here) {
    channel C("odd", Here);
    std::size_t Size = M.Me == 0 ? 64 : 128;
    C.own("x", Size);
    for (node_id N : Here.all())
      C.other(N, "x", Size);
    C.join();
    Here.wait_for_ready(60s); // said as soon as all have met
  });
}

/// As written by mistake, with the own node as the host: each would have a lock of its own.
void hostMismatch(member &M) {
  mismatch(M, "has host ", [&](manager &Here) {
    node_lock Lock("lock", Here, Here.me());
    Here.wait_for_ready(60s);
  });
}

void rosterMismatch(member &M) {
  mismatch(M, "has digest of the participants ", [&](manager &Here) {
    std::vector<thread_id> Who = roster::everyone(Here);
    if (Here.me() == 0)
      std::swap(Who.front(), Who.back());
    barrier Meet("meet", Here, Who);
    Here.wait_for_ready(60s);
  });
}

template <class Object> auto making(auto... Given) {
  return [=](manager &Here) { return std::make_unique<Object>("x", Here, Given...); };
}

/// Node 0 makes one object of the name, the others another; every node is told, whoever hosts it.
template <class A, class B> auto different(const char *First, const char *Others, A MakeFirst, B MakeOther) {
  return [=](member &M) {
    mismatch(M, M.Me == 0 ? First : Others, [&](manager &Here) {
      auto Object = std::pair(M.Me == 0 ? MakeFirst(Here) : nullptr, M.Me == 0 ? nullptr : MakeOther(Here));
      Here.wait_for_ready(60s);
    });
  };
}

struct two {
  long Parts[2];
};
struct three {
  long Parts[3];
};

/// Made in two ways, or of two kinds.
bool differentObjects(const plan &Plan) {
  auto unlike = [&](const char *Words, auto MakeFirst, auto MakeOther) {
    return runGroup(Plan, different(Words, Words, MakeFirst, MakeOther)).Good;
  };
  auto kinds = [&](const char *First, const char *Others, auto MakeFirst, auto MakeOther) {
    return runGroup(Plan, different(First, Others, MakeFirst, MakeOther)).Good;
  };
  return unlike("has cells of the queue ", making<fifo>(0u, 8u), making<fifo>(0u, 16u)) &&
         unlike("has balance at the beginning ", making<accounts>(4u, 1), making<accounts>(4u, 2)) &&
         unlike("has scope ", making<barrier>(scope::all_nodes), making<barrier>(scope::participants)) &&
         unlike("has bytes of the structure ", making<locked<two>>(0u), making<locked<three>>(0u)) &&
         unlike("has bytes of a key ", making<kvstore<int, long>>(), making<kvstore<long, long>>()) &&
         unlike("has bytes of a value ", making<kvstore<long, int>>(), making<kvstore<long, long>>()) &&
         kinds("has no host of the variable,", "has no host,", making<atomic_var>(0u),
               making<tas_lock>(0u)) &&
         kinds("has no host,", "has no accounts,", making<fifo>(0u, 8u), making<accounts>(8u, 8)) &&
         kinds("has no host of the word,", "has no bytes of the structure,", making<sc<long>>(0u),
               making<locked<long>>(0u));
}

/// A channel that only says something, and one that says nothing.
void moreSaid(member &M) {
  mismatch(M, M.Me == 0 ? "has no colour, this node colour 3" : "has colour 3, this node none",
           [&](manager &Here) {
             channel C("odd", Here);
             if (M.Me == 0)
               C.agree("colour", 3);
             C.join();
             Here.wait_for_ready(60s);
           });
}

void missingRegion(member &M) {
  mismatch(M, "has no region", [&](manager &Here) {
    channel C("odd", Here);
    const char *Name = M.Me == 0 ? "x" : "y";
    C.own(Name, 8);
    for (node_id N : Here.all())
      C.other(N, Name, 8);
    C.join();
    Here.wait_for_ready(60s); // said as soon as all have met
  });
}

void missingChannel(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  Here.wait_for_ready(60s);
  if (M.Me != 0)
    return;
  error Missing = mustThrow("channel 'lonely' is missing on node 1 after 500 ms", 60s, [&] {
    shared_var<int> Lonely("lonely", Here);
    Here.wait_for_ready(500ms);
  });
  CHECK(Missing.peer == 1 && Missing.channel == "lonely");
}

void duplicateName(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  shared_var<int> First("x", Here);
  mustThrow("channel 'x' exists already on node", 60s, [&] { shared_var<int> Second("x", Here); });
  Here.wait_for_ready(60s);
}

/// Node 0 stays until the others have come: one that came later would find nobody there.
bool threadMismatch(const plan &Plan) {
  int Seen[2];
  CHECK(pipe(Seen) == 0);
  bool Good = runGroup(Plan, [&](member &M) {
                options O = M.settings();
                O.threads = M.Me == 0 ? 1 : 2;
                manager Here(M.Hosts, M.Me, O);
                mustThrow("threads", 60s, [&] { Here.wait_for_ready(60s); });
                char Byte = 0;
                if (M.Me != 0)
                  CHECK(write(Seen[1], &Byte, 1) == 1);
                for (unsigned Other = 1; M.Me == 0 && Other < Plan.Nodes; ++Other)
                  CHECK(read(Seen[0], &Byte, 1) == 1);
              }).Good;
  close(Seen[0]);
  close(Seen[1]);
  return Good;
}

void limits(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  channel C("c", Here);
  mustThrow("no memory left", 60s, [&] { C.own("big", std::size_t(1) << 40); });
  mustThrow("exists already in channel", 60s, [&] { C.own("x", 8), C.own("x", 8); });
  CHECK(mustThrow("channel 'w': there is no node 9", 60s, [&] { weak_lock W("w", Here, 9); }).peer == 9);
  mustThrow("channel 'f': there is no node 9", 60s, [&] { fifo F("f", Here, 9, 8); });
  mustThrow("channel 'o': there is no node 9", 60s, [&] { owned_var<int> O("o", Here, 9); });
  std::vector<thread_id> Twice = {{0, 0}, {0, 0}}, Once = {{0, 0}};
  mustThrow("channel 'r': there is no node 9", 60s, [&] { ring R("r", Here, {9, 0}, Once, 8); });
  mustThrow("thread 0 of node 0 is named twice", 60s, [&] { barrier B("b", Here, Twice); });
  mustThrow("none of them a control character", 60s, [&] { channel Two("a\nb", Here); });
  mustThrow("needs a lock", 60s, [&] { kvstore<int, int> S("s", Here, {.locks = 0}); });
  CHECK(mustThrow("not ADDRESS:PORT", 60s, [&] { manager Bad({{0, "nowhere"}}, 0); }).peer == 0);
  mustThrow("is not one of the", 60s, [&] { manager Bad({{0, "127.0.0.1:1"}}, 1); });
  mustThrow("cannot listen", 60s, [&] { manager Again(M.Hosts, M.Me, M.settings()); });
  Here.wait_for_ready(60s);
  try {
    (void)Here.here();
    fail("no error");
  } catch (const std::logic_error &) {
  }
  inThreads(Here, [&](unsigned) {});
  mustThrow("one too many", 60s, [&] { Here.attach_thread(M.Plan.Threads); });
}

/// Node 0 has no memory for the store's tracker: it says why, and the others do not wait for it for ever.
void storeWithoutRoom(member &M) {
  const char *Why = "its tracker cannot begin: no memory left";
  auto Run = [&] {
    options O = M.settings();
    O.threads = 1;
    manager Here(M.Hosts, M.Me, O);
    barrier Meet("meet", Here);
    Here.wait_for_ready(60s);
    Here.attach_thread(0);
    if (M.Me != 0)
      OK(Meet.wait()); // before node 0 has none left the tracker meets nobody
    kvstore<int, int> Store("store", Here);
    try {
      while (M.Me == 0)
        (void)Here.allocate(1);
    } catch (const error &) {
      OK(Meet.wait());
    }
    Here.wait_for_ready(60s);
    while (M.Me == 0 && Here.health() == status::ok)
      std::this_thread::sleep_for(1ms);
    if (M.Me == 0) {
      CHECK(Here.why().starts_with(Why));
      std::this_thread::sleep_for(3s); // it lives on, which nobody waits for
    }
    auto Begun = std::chrono::steady_clock::now();
    try {
      (void)Store.insert(7, 7);
    } catch (const error &) {
      CHECK(std::chrono::steady_clock::now() - Begun < 2s);
      throw;
    }
  };
  mustThrow(M.Me == 0 ? Why : (std::string("node 0 gave up: ") + Why).c_str(), 60s, Run);
}

/// Node 0 has no memory by which it could tell the others' trackers that it leaves the store.
void storeWithoutEnd(member &M) {
  options O = M.settings();
  O.threads = 1;
  manager Here(M.Hosts, M.Me, O);
  barrier Meet("meet", Here);
  {
    kvstore<int, int> Store("store", Here);
    Here.wait_for_ready(60s);
    Here.attach_thread(0);
    if (M.Me == 1)
      CHECK(Store.insert(1, 1)); // all trackers have acted on it: they are at work
    if (status S = Meet.wait(); M.Me == 0)
      OK(S); // of the others it may have given up before they saw it there
    try {
      while (M.Me == 0)
        (void)Here.allocate(1);
    } catch (const error &) { // none left
    }
    while (M.Me == 1 &&
           Here.health() == status::ok) // had all left, node 0's tracker would give its words back
      std::this_thread::sleep_for(1ms);
  }
  std::string Why = "its tracker cannot end: no memory left";
  CHECK(Here.why().starts_with(M.Me == 0 ? Why : "node 0 gave up: " + Why));
}

/// Node 0 gives up while the others wait, set-up or data, and lives on until they have gone.
void givenUp(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  if (M.Me == 0) {
    Here.wait_for_ready(60s);
    Here.give_up("no room");
    Here.give_up("no time");
    mustThrow("no room", 1s, [&] { Here.wait_for_ready(60s); });
    CHECK(Here.health() != status::ok && Here.why() == "no room");
    return;
  }
  mustThrow("node 0 gave up: no room", 30s, [&] {
    Here.wait_for_ready(60s);
    shared_var<int> Second("second", Here); // node 0 has none
    Here.wait_for_ready(60s);
  });
  CHECK(Here.health() == status::peer_lost && Here.why() == "node 0 gave up: no room");
}

/// Somebody comes to a node's port, says nothing, and stays: the node goes all the same.
void stranger(member &M) {
  if (M.Me != 0)
    return;
  std::string Name =
      "rdma/" + std::to_string(geteuid()) + "/" + getenv("RDMA_FABRIC") + "/tcp/7200/127.0.0.1";
  manager Alone({{0, "127.0.0.1:7200"}}, 0);
  Alone.wait_for_ready(1s);
  int Socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  CHECK(Socket >= 0 && device::withName(connect, Socket, Name) == 0);
  std::this_thread::sleep_for(50ms);
}

add A("setup-any-order", anyOrder), B("setup-missing-node", missingNode),
    C("setup-missing-first", missingFirst), L("setup-missing-later", missingLater),
    D("setup-size-mismatch", sizeMismatch), E("setup-missing-region", missingRegion),
    Q("setup-different-objects", differentObjects), R("setup-more-said", moreSaid),
    J("setup-host-mismatch", hostMismatch), K("setup-roster-mismatch", rosterMismatch),
    F("setup-missing-channel", missingChannel), G("setup-duplicate-name", duplicateName),
    H("setup-thread-mismatch", threadMismatch), I("setup-limits", limits), M("setup-stranger", stranger),
    N("setup-store-without-room", storeWithoutRoom), O("setup-store-without-end", storeWithoutEnd),
    P("setup-given-up", givenUp);

} // namespace

} // namespace rdma::objects::test

// Variables, barrier, ring: what their pages promise.
#include "rdma/objects/barrier.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

#include <ranges>

namespace rdma::objects::test {

namespace {

static_assert(std::ranges::input_range<const sst<int>>);

using namespace std::chrono_literals;

void variables(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  shared_var<std::uint64_t> Shared("shared", Here);
  sst<std::uint32_t> Table("table", Here);
  struct large {
    std::uint64_t A, B, C;
  };
  owned_var<large> Owned("owned", Here, 0);
  atomic_var Counter("counter", Here, M.Plan.Nodes - 1), Word("word", Here, 0);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    bool Writer = M.Me == 0 && Index == 0;
    std::uint64_t Before = 0, Own = 0;
    std::uint64_t LastOwned = 0;
    std::vector<std::uint32_t> Rows(Table.size());
    for (std::uint64_t I = 1; I <= M.Plan.Rounds; ++I) {
      if (Writer) {
        Shared.store(I);
        OK(Shared.push());
        OK(Owned.store({I, I * 3, I * 7}));
        ack Done;
        OK(Owned.push(&Done));
        OK(Done.wait());
      } else if (M.Me != 0) {
        CHECK(Owned.store({}) == status::not_owner);
      }
      OK(Table.store_mine(static_cast<std::uint32_t>(I)));
      OK(Table.push_broadcast());
      std::uint64_t Seen = Shared.load();
      CHECK(Seen >= Before);
      Before = Seen;
      for (std::size_t R = 0; R < Rows.size(); ++R) {
        CHECK(Table[R] >= Rows[R]);
        Rows[R] = Table[R];
      }
      if (auto Value = Owned.load()) {
        CHECK(Value->A >= LastOwned && Value->B == Value->A * 3 && Value->C == Value->A * 7);
        LastOwned = Value->A;
      }
      word Old;
      OK(Counter.fetch_add(1, Old));
      CHECK(Old >= Own);
      Own = Old + 1;
      OK(Word.store(I));
    }
    OK(Meet.wait());
    word Sum;
    OK(Counter.load(Sum));
    CHECK(Sum == M.Plan.Rounds * M.Plan.Nodes * M.Plan.Threads);
    OK(Word.load(Sum));
    CHECK(Sum == M.Plan.Rounds);
    CHECK(Shared.load() == M.Plan.Rounds);
    for (std::size_t R = 0; R < Rows.size(); ++R)
      CHECK(Table[R] == M.Plan.Rounds);
    CHECK(Owned.load() && Owned.load()->A == M.Plan.Rounds);
    OK(Meet.wait());
  });
}

/// The owner pushes without waiting; every thread of the others also pulls, and what it has seen once does
/// not go back.
void pulledValues(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  struct large {
    std::array<std::uint64_t, 6> Words;
  };
  owned_var<large> Owned("owned", Here, 0);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    std::uint64_t Last = 0;
    for (std::uint64_t I = 1; I <= M.Plan.Rounds; ++I) {
      if (M.Me == 0 && Index == 0) {
        OK(Owned.store({{I, I, I, I, I, I}}));
        OK(Owned.push());
      } else if (M.Me != 0 && I % 3 == 0) {
        ack Fetched;
        OK(Owned.pull(Fetched));
        OK(Fetched.wait());
      }
      Here.here().poll();
      if (auto Seen = Owned.load()) {
        for (std::uint64_t W : Seen->Words)
          CHECK(W == Seen->Words[0]);
        CHECK(Seen->Words[0] >= Last);
        Last = Seen->Words[0];
      }
    }
    if (M.Me == 0 && Index == 0)
      OK(Owned.push());
    OK(Meet.wait());
    CHECK(Owned.load() && Owned.load()->Words[5] == M.Plan.Rounds);
    OK(Meet.wait());
  });
}

/// Copies that stay in parts: a pull that met a store in the middle, and a push whose source was stored to
/// before it was read. Neither hides what comes whole by the other way.
void valuesInParts(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  using large = std::array<std::uint64_t, 256>;
  owned_var<large> Owned("owned", Here, 0);
  sst<unsigned> Met("met", Here);
  Here.wait_for_ready(60s);
  std::uint64_t Now = 0; // of the owner
  auto store = [&] {
    large New;
    New.fill(++Now);
    OK(Owned.store(New));
  };
  auto met = [&] {
    std::size_t Count = 0;
    for (std::size_t R = 0; R < Met.size(); ++R)
      Count += Met[R];
    return Count == Met.size() - M.Plan.Threads;
  };
  inThreads(Here, [&](unsigned Index) {
    bool Stores = M.Me == 0 && Index == 0;
    if (Stores) {
      while (!met())
        store();
      OK(Owned.push());
    } else if (M.Me != 0) {
      do {
        ack Fetched;
        OK(Owned.pull(Fetched));
        OK(Fetched.wait());
      } while (Owned.load());
      OK(Met.store_mine(1));
      OK(Met.push_broadcast());
    }
    OK(Meet.wait());
    CHECK(Owned.load());
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      OK(Meet.wait());
      if (Stores) {
        store();
        OK(Owned.push());
        store();
      }
      OK(Meet.wait());
      ack Fetched;
      OK(Owned.pull(Fetched));
      OK(Fetched.wait());
      CHECK(Owned.load());
    }
    OK(Meet.wait());
  });
}

/// Every thread puts its round into a slot on every node before the barrier, and looks at all slots behind
/// it.
void barrierRounds(member &M, bool Fenced) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  channel Slots("slots", Here);
  std::size_t Threads = std::size_t(M.Plan.Nodes) * M.Plan.Threads, Size = Threads * sizeof(word);
  word *Mine = Slots.own("s", Size).words();
  std::vector<const remote *> At;
  for (node_id N : Here.all())
    At.push_back(&Slots.other(N, "s", Size));
  Slots.join();
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    std::size_t Me = Here.position({M.Me, Index});
    for (std::uint64_t I = 1; I <= M.Plan.Rounds; ++I) {
      for (node_id N : Here.all())
        OK(Here.here().put_word(At[N]->word_at(Me), I));
      OK(Fenced ? Meet.wait() : Meet.wait_nofence());
      for (std::size_t T = 0; T < Threads; ++T)
        CHECK(load(Mine[T]) == I);
      OK(Fenced ? Meet.wait() : Meet.wait_nofence());
    }
  });
}

constexpr std::size_t Cells = 24;

word expectedWord(std::uint64_t Message, std::size_t I) { return Message * 1000 + I; }

void ringMessages(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  std::vector<thread_id> Readers = roster::everyone(Here);
  std::erase(Readers, thread_id{0, 0});
  ring Ring("ring", Here, {0, 0}, Readers, Cells);
  Here.wait_for_ready(60s);
  auto lengthOf = [&](std::uint64_t Message) { return (Message * 7 + M.Plan.Seed) % (Cells - 1); };
  inThreads(Here, [&](unsigned Index) {
    std::vector<word> Message;
    if (M.Me == 0 && Index == 0) {
      CHECK(Ring.submit(std::vector<word>(Cells)) == status::full);
      for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
        Message.resize(lengthOf(I));
        for (std::size_t K = 0; K < Message.size(); ++K)
          Message[K] = expectedWord(I, K);
        OK(Ring.submit(Message));
      }
    } else {
      CHECK(Ring.submit(Message) == status::not_owner);
      waiting Wait(Here.here());
      for (std::uint64_t I = 0; I < M.Plan.Rounds;) {
        std::optional<std::vector<word>> Got;
        if (I % 2) {
          Got = Ring.try_receive();
        } else if (auto Seen = Ring.peek()) {
          Got.emplace(Seen->begin(), Seen->end());
          Ring.release();
        }
        if (!Got) {
          OK(Wait.step());
          continue;
        }
        CHECK(Got->size() == lengthOf(I));
        for (std::size_t K = 0; K < Got->size(); ++K)
          CHECK((*Got)[K] == expectedWord(I, K));
        ++I;
      }
      CHECK(!Ring.try_receive());
    }
    OK(Meet.wait());
  });
}

add A("variables", variables), E("pulled", pulledValues), F("in-parts", valuesInParts),
    B("barrier", [](member &M) { barrierRounds(M, true); }), C("ring", ringMessages);

/// Broken on purpose: nothing makes the slots arrive before the counters.
add D("barrier-nofence-bug", [](member &M) { barrierRounds(M, false); });

} // namespace

} // namespace rdma::objects::test

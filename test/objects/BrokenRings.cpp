// Barriers and rings that are broken on purpose, each in the way that the papers warn of.
#include "rdma/objects/channel.h"
#include "test/objects/Group.h"

#include <mutex>
#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t Stride = line_size / sizeof(word);

/// A barrier that puts the counter to the own node too, and takes from there which round it is.
void loopbackRounds(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  channel Meet("meet", Here);
  std::size_t Threads = std::size_t(M.Plan.Nodes) * M.Plan.Threads, Size = Threads * line_size;
  word *Counters = Meet.own("counters", Size).words();
  std::vector<const remote *> At;
  for (node_id N : Here.all())
    At.push_back(&Meet.other(N, "counters", Size));
  Meet.join();
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    std::size_t Me = Here.position({M.Me, Index});
    for (word I = 1; I <= M.Plan.Rounds; ++I) {
      if (load(Counters[Me * Stride]) + 1 != I)
        fail("the own count went back");
      store(Counters[Me * Stride], I);
      for (node_id N : Here.all())
        OK(Here.here().put_word(At[N]->word_at(Me * Stride), I));
      waiting Wait(Here.here());
      for (std::size_t T = 0; T < Threads; ++T)
        while (load(Counters[T * Stride]) < I && T != Me)
          OK(Wait.step());
    }
  });
}

/// A ring of one-word messages from node 0 to the first thread of node 1. Message I is I + 1, in cell I %
/// Cells.
struct small_ring : channel {
  static constexpr std::size_t Cells = 4;
  small_ring(manager &M) : channel("ring", M) {
    Mine = own("cells", Cells * line_size).words();
    Head = own("head", line_size).words();
    Taken = own("taken", line_size).words();
    CellsAt = &other(1, "cells", Cells * line_size);
    HeadAt = &other(1, "head", line_size);
    TakenAt = &other(0, "taken", line_size);
    join();
  }
  void awaitRoom(endpoint &Here, word I) {
    waiting Wait(Here);
    while (I - load(*Taken) >= Cells)
      OK(Wait.step());
  }
  void sendCell(endpoint &Here, word I) { OK(Here.put_word(CellsAt->word_at(I % Cells * Stride), I + 1)); }
  word cell(word I) const { return load(Mine[I % Cells * Stride]); }
  void awaitMessage(endpoint &Here, word I) {
    waiting Wait(Here);
    while (load(*Head) <= I)
      OK(Wait.step());
  }
  void acknowledge(endpoint &Here, word I) { OK(Here.put_word(*TakenAt, I + 1)); }

  word *Mine, *Head, *Taken;
  const remote *CellsAt, *HeadAt, *TakenAt;
};

void look(word Seen, word I) {
  if (Seen != I + 1)
    fail("message " + std::to_string(I + 1) + " reads " + std::to_string(Seen));
}

/// Submit(Thread, message) is called in node 0's threads, Take(message) in one of node 1's.
void ringOf(member &M, const std::function<void(small_ring &, manager &, unsigned)> &Submit,
            const std::function<void(small_ring &, manager &)> &Take) {
  manager Here(M.Hosts, M.Me, M.settings());
  small_ring Ring(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    if (M.Me == 0)
      Submit(Ring, Here, Index);
    else if (M.Me == 1 && Index == 0)
      Take(Ring, Here);
  });
}

/// Submits all messages from the first thread; Head is as the ring should send it, inline.
void submitAll(small_ring &Ring, manager &Here, unsigned Index, word Rounds, unsigned HeadFlags) {
  for (word I = 0; Index == 0 && I < Rounds; ++I) {
    Ring.awaitRoom(Here.here(), I);
    Ring.sendCell(Here.here(), I);
    store(*Ring.Head, I + 1);
    OK(Here.here().put(*Ring.HeadAt, Ring.Head, sizeof(word), nullptr, HeadFlags));
  }
}

void takeAll(small_ring &Ring, manager &Here, word Rounds, bool AcknowledgeFirst) {
  for (word I = 0; I < Rounds; ++I) {
    Ring.awaitMessage(Here.here(), I);
    if (AcknowledgeFirst) {
      Ring.acknowledge(Here.here(), I);
      std::this_thread::sleep_for(1ms); // what an unlucky processor would do
    }
    look(Ring.cell(I), I);
    if (!AcknowledgeFirst)
      Ring.acknowledge(Here.here(), I);
  }
}

void sound(member &M) {
  ringOf(
      M, [&](auto &R, auto &H, unsigned Index) { submitAll(R, H, Index, M.Plan.Rounds, inlined); },
      [&](auto &R, auto &H) { takeAll(R, H, M.Plan.Rounds, false); });
}

/// The NIC reads the head when it comes to it, and that may be a later one.
void headNotAwaited(member &M) {
  ringOf(
      M, [&](auto &R, auto &H, unsigned Index) { submitAll(R, H, Index, M.Plan.Rounds, 0); },
      [&](auto &R, auto &H) { takeAll(R, H, M.Plan.Rounds, false); });
}

void acknowledgedFirst(member &M) {
  ringOf(
      M, [&](auto &R, auto &H, unsigned Index) { submitAll(R, H, Index, M.Plan.Rounds, inlined); },
      [&](auto &R, auto &H) { takeAll(R, H, M.Plan.Rounds, true); });
}

/// Node 0's threads submit one at a time, each through its own queue pairs.
void twoWriters(member &M) {
  std::mutex OneAtATime;
  word Next = 0;
  auto Submit = [&](small_ring &Ring, manager &Here, unsigned) {
    for (;;) {
      std::lock_guard Guard(OneAtATime);
      if (Next == M.Plan.Rounds)
        return;
      Ring.awaitRoom(Here.here(), Next);
      Ring.sendCell(Here.here(), Next);
      OK(Here.here().put_word(*Ring.HeadAt, ++Next));
    }
  };
  auto Take = [&](small_ring &Ring, manager &Here) {
    for (word I = 0; I < M.Plan.Rounds; ++I) {
      waiting Wait(Here.here());
      while (load(*Ring.Head) <= I)
        OK(Wait.step());
      look(Ring.cell(I), I);
      Ring.acknowledge(Here.here(), I);
    }
  };
  ringOf(M, Submit, Take);
}

add A("barrier-loopback-bug", loopbackRounds), B("ring-small", sound), C("ring-nowait-bug", headNotAwaited),
    D("ring-ackfirst-bug", acknowledgedFirst), E("ring-twowriters-bug", twoWriters);

} // namespace

} // namespace rdma::objects::test

// Values of several words that are read in a broken way on purpose.
#include "rdma/objects/barrier.h"
#include "rdma/objects/msw.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

#include <thread>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// A value between guards, put and awaited word by word as the model has it, read from the last word to the
/// first or the other way round.
void guarded(member &M, bool FrontToBack) {
  constexpr std::size_t Data = 6, All = Data + 2;
  manager Here(M.Hosts, M.Me, M.settings());
  channel Value("value", Here);
  word *Mine = Value.own("copy", All * sizeof(word)).words();
  const remote &There = Value.other(1, "copy", All * sizeof(word));
  Value.join();
  shared_var<word> End("end", Here);
  barrier Begin("begin", Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    OK(Begin.wait());
    if (M.Me == 0 && Index == 0) {
      for (word I = 1; I <= M.Plan.Rounds; ++I) {
        ack Sent;
        for (std::size_t K = 0; K < All; ++K)
          OK(Here.here().put_word(There.word_at(K), I, &Sent));
        OK(Sent.wait());
      }
      End.store(1);
      OK(End.push());
    }
    waiting Wait(Here.here());
    while (M.Me == 1 && Index == 0 && !End.load()) {
      word Seen[All];
      for (std::size_t K = 0; K < All; ++K) {
        std::size_t At = FrontToBack ? K : All - 1 - K;
        Seen[At] = load(Mine[At]);
        OK(Wait.step());
        Wait.again();
      }
      if (Seen[0] != Seen[All - 1])
        continue;
      for (std::size_t K = 1; K <= Data; ++K)
        if (Seen[K] != Seen[0])
          fail("a value that nobody wrote: " + std::to_string(Seen[K]) + " in " + std::to_string(Seen[0]));
    }
  });
}

/// A slot that its owner gives to one thing after the other: counter and validity, the value, a checksum of
/// the value, and of the counter or not. A reader knows what the counter was, and takes the value when the
/// checksum and the counter fit.
void reused(member &M, bool Counted) {
  constexpr std::size_t Data = 40, All = Data + 2;
  manager Here(M.Hosts, M.Me, M.settings());
  channel Slot("slot", Here);
  word *Mine = Slot.own("slot", All * sizeof(word)).words();
  const remote &There = Slot.other(0, "slot", All * sizeof(word));
  Slot.join();
  shared_var<word> End("end", Here);
  barrier Begin("begin", Here);
  auto Into = Here.allocate(All * sizeof(word));
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    endpoint &E = Here.here();
    OK(Begin.wait());
    if (M.Me == 0 && Index == 0) {
      for (word I = 1; I <= M.Plan.Rounds; ++I) {
        store(Mine[0], (I - 1) << 1);
        for (std::size_t K = 1; K <= Data; ++K)
          store(Mine[K], I);
        store(Mine[All - 1], hash_words(Mine + 1, Data, Counted ? I : 0));
        store(Mine[0], I << 1 | 1);
        std::this_thread::sleep_for(20us);
      }
      End.store(1);
      OK(End.push());
    }
    while (M.Me == 1 && Index == 0 && !End.load()) {
      ack Read; // in two requests, as a long one is carried out packet by packet
      OK(E.get(Into.data, There, sizeof(word), Read));
      OK(E.get(Into.data + sizeof(word), There.word_at(1), (All - 1) * sizeof(word), Read, fenced));
      OK(Read.wait());
      word Counter = load(Into.words()[0]) >> 1;
      bool Valid = load(Into.words()[0]) & 1;
      if (Valid && hash_words(Into.words() + 1, Data, Counted ? Counter : 0) == load(Into.words()[All - 1]) &&
          load(Into.words()[1]) != Counter)
        fail("value " + std::to_string(load(Into.words()[1])) + " with counter " + std::to_string(Counter));
    }
  });
}

add A("guards-right", [](member &M) { guarded(M, false); }),
    B("guards-bug", [](member &M) { guarded(M, true); }),
    C("slot-counted", [](member &M) { reused(M, true); }),
    D("slot-uncounted-bug", [](member &M) { reused(M, false); });

} // namespace

} // namespace rdma::objects::test

// A litmus thread: its statements as loads, stores and verbs calls, one at a time.
#pragma once

#include "analyzer/explorer/Compiled.h"
#include "test/device/Nodes.h"
#include "test/device/Random.h"

#include <deque>

namespace rdma::test {

/// What became of an attempt to go on.
enum class Attempt { Moved, Blocked, Ended };

class Processor {
public:
  /// StoreBuffer: stores and posts wait in a buffer, as on x86, until leave() lets them go.
  Processor(const explorer::CompiledProgram &P, ThreadIndex Thread, const Nodes &N, bool StoreBuffer);

  /// At the beginning of the thread again.
  void start(uint64_t Seed);
  /// Loads every location. A store takes longer after that, because every processor has its cache line.
  void lookAround() const;
  /// One step of the current statement; never waits.
  Attempt step();
  /// The oldest entry of the store buffer leaves it. False when it is empty.
  bool leave();
  bool buffers() const { return !Buffer.empty(); }
  bool ended() const { return At == explorer::Exit && Buffer.empty(); }

private:
  /// A store, or a request on its way to the NIC.
  struct Buffered {
    ObjectId Location = None;
    std::int64_t Value = 0;
    QueuePairId Pair = None;
    ibv_send_wr Request = {};
    ibv_sge Local = {};
  };
  /// A request whose completion, or a later one, has not been taken.
  struct Outstanding {
    WorkId Id;
    uint32_t Number;
  };
  struct Pair {
    std::deque<Outstanding> Waiting;
    uint32_t Posted = 0;
    bool FenceNext = false; ///< an rfence stands before the next request
  };

  const explorer::CompiledStatement &current() const { return P.Threads[Thread].Statements[At]; }
  void enter(unsigned Statement);
  void finish(unsigned Steps);
  std::int64_t load(ObjectId O) const;
  void store(ObjectId O, std::int64_t Value);
  void carryOut(Buffered &B);
  bool tryOwn();
  bool compareAndSwap(const Operation &Op);
  void post(const Operation &Op);
  Buffered requestFor(const Operation &Op);
  bool takeCompletion(ibv_cq *From);
  bool pollQueue(CompletionQueueId Queue);
  bool await(WorkId Id);

  const explorer::CompiledProgram &P;
  ThreadIndex Thread;
  const Nodes &N;
  bool HasBuffer;
  Random Choices{0};
  unsigned At = 0, Phase = 0;
  std::int64_t Value = 0, Desired = 0, Old = 0;
  std::deque<Buffered> Buffer;
  std::vector<Pair> Pairs;
};

} // namespace rdma::test

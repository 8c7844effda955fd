// One state of the machine: SYNC Fig. 18 to 20 (programs, memory, store buffers, atomics locks, queue pairs).
#pragma once

#include "analyzer/explorer/Compiled.h"
#include "analyzer/explorer/Trace.h"
#include "runtime/nic/Apply.h"

#include <string>

namespace rdma::explorer {

/// What the NIC knows of one operation: addresses are object numbers, and values are integers.
struct Request {
  unsigned Statement = None; ///< of the owner of the queue pair
  ObjectId Local = None, Remote = None;
  std::int64_t Value = 0;                 ///< read so far; the addend or what to write of an atomic
  std::int64_t Expected = 0, Desired = 0; ///< a compare-and-swap's; Expected is a fetch-and-add's addend
  bool IsSwap = false;
  Operation::Outcome Outcome = Operation::Outcome::Either;
  Slot First = NoSlot, Second = NoSlot, Third = NoSlot; ///< its events, in program order
};

using Queues = nic::QueuePairQueues<Request>;
using QueueEntry = nic::Entry<Request>;

/// A CPU write, or an operation on its way to a queue pair.
struct Buffered {
  bool IsWrite;
  ObjectId Location = None; ///< of a write
  std::int64_t Value = 0;
  Slot Event = NoSlot;
  QueuePairId Pair = None; ///< of an operation
  QueueEntry Posted = {};
  bool Fenced = false;
};

/// Completions not taken yet, of queue pairs that are waited on: an entry for each posted operation, oldest
/// first.
struct Outstanding {
  WorkId Id;
  bool Signaled, ForPolls;
};

struct PairState {
  Queues Nic;
  std::vector<Outstanding> Waiting;
};

struct ThreadState {
  unsigned At = 0;
  /// Counts operand reads and own steps; statement phases() means: choose where to go on.
  unsigned Phase = 0;
  std::int64_t Value = 0, Desired = 0, Old = 0;
};

struct State {
  std::vector<ThreadState> Threads;
  std::vector<std::int64_t> Memory;           ///< by object
  std::vector<std::vector<Buffered>> Buffers; ///< by thread, oldest first
  std::vector<PairState> Pairs;
  std::uint64_t Locked = 0; ///< nodes whose atomics lock is taken
  Trace Order;
};

/// Equal for states with the same future (slots are renamed in the order in which queues hold them).
std::string encode(const State &S);

} // namespace rdma::explorer

// A thread, run as the source says, beside a NIC that is as slow as it may be and others that stand still.
//
// The analysis proves order; where it cannot, it may only have lost a fact: how many completions a loop
// takes, which of some buffers comes next. A replay decides nothing about order. It is one execution, with
// numbers for all that the thread counts and places in its buffers, and tells which accesses came while a
// request that uses the same bytes was still out. What it shows holds in the source, so the user is warned.
//
// It ends, and tells no more, where it would rest on what it does not know: a test of such a value, a wait
// for another thread or node, code that is not there. What whoever calls the thread gives it is chosen:
// memory of its own behind each pointer, zeros, a number for each parameter. A poll finds a completion only
// when the thread has asked for it again and again and done nothing else, one at a time, and of the queue
// pair that posted last. Before a call that may wait for others every request that is out counts as complete.
#pragma once

#include "analyzer/clang/counts/Sites.h"

#include <map>
#include <set>

namespace rdma::clang_ir {

/// The post, and an access while its request was out. True: a run came there as it may for whoever calls the
/// thread, with no completion of another thread's request.
using SeenPairs = std::map<std::pair<const llvm::Instruction *, const llvm::Instruction *>, bool>;

/// The replays of the threads, each when it is first asked for.
class Replays {
public:
  /// Pairs: with the queues that they report to where a thread runs alone. Taken: polls that may take the
  /// completion of another thread's request.
  Replays(std::vector<QueuePair> Pairs, const std::set<const llvm::CallBase *> &Taken)
      : Pairs(std::move(Pairs)), Taken(Taken) {}
  const SeenPairs &of(const CountedThread &T);

private:
  std::vector<QueuePair> Pairs;
  const std::set<const llvm::CallBase *> &Taken;
  std::map<ThreadIndex, SeenPairs> Known;
};

} // namespace rdma::clang_ir

// Completion queues that several threads poll: whose completion does a poll take?
//
// Its own, where one lock is held from every post until the posted requests are complete: whoever takes the
// lock finds the queue empty. That it is held needs every thread of the process: none gives back what it does
// not hold, and nothing, neither a CPU nor a NIC, writes over the lock. Anything else leaves that open, and
// where no thread hears from the other what it took, it is a defect that an execution shows: both have
// posted, and each takes the other's completion.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"

#include <deque>

namespace rdma::clang_ir {

struct Unshared {
  std::map<QueuePairId, CompletionQueueId> Was; ///< the queues that they report to all the same
  /// Queues of which each thread takes its own completions only, as if it were alone.
  std::set<std::pair<NodeId, std::string>> Alone;
  /// Polls that may take the completion of another thread's request.
  std::set<const llvm::CallBase *> Taken;
};

/// Takes the queue pairs of which it is not known whose completions are polled from their queue, with a lost
/// fact and a remark.
Unshared unshareQueues(Inventory &Stock, const std::deque<CountedThread> &Threads, RemarkLog &Log);

} // namespace rdma::clang_ir

// One completion queue for the sends and the receives of a queue pair: which of them has a poll taken?
//
// The thread's graph is walked with the most completions of either kind that may be out. A poll takes one
// that may be; where both may be, its statement becomes two, one for either. What the program then asks of
// the completion's opcode, and of the integers that it counts with in a loop that polls, closes ways that no
// execution goes. The walked graph takes the place of the thread's, and polls of two queues that of one.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"

namespace rdma::clang_ir {

struct MixedQueue {
  QueuePairId Sends, Receives;
  CompletionQueueId Both;     ///< what sends and receives of no other queue pair report to
  CompletionQueueId Received; ///< a new one, for the receives
  bool Immediate;             ///< some may be of WRITEs with immediate data
};

/// Polls of Both become polls of Both for what sends have left, and of Received. False: the thread is too
/// large for that, or its polls are not known, and nothing has changed.
bool separateKinds(Inventory &Stock, CountedThread &T, const MixedQueue &Queue);

} // namespace rdma::clang_ir

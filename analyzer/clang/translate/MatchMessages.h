// SENDs, WRITEs with immediate data, and the receives that they meet (README.md, Messages).
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"

#include <deque>

namespace rdma::clang_ir {

/// Where two threads are known to be the two ends of one connection, a message is written where the peer
/// receives, and polls of its completion wait for it. Of every other message, what its site says is a remark.
/// Receives that share their queue with sends have one of their own then; the queue that they report to all
/// the same.
std::map<QueuePairId, CompletionQueueId> matchMessages(Inventory &Stock, std::deque<CountedThread> &Threads,
                                                       RemarkLog &Log);

} // namespace rdma::clang_ir

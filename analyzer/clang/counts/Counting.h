// Which requests are known to be complete at a point of a thread, or to use other bytes than what stands
// there touches, because the numbers that the program keeps say so.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/replay/Replay.h"

#include <deque>

namespace rdma::clang_ir {

/// Adds what is proved to the statements of the threads: waits behind loops that wait for completions, and
/// to statements the work ids that they are clear of. What cannot be proved changes nothing. What a replay
/// shows to be open is not tried for long.
void addCounts(Inventory &Stock, const std::deque<CountedThread> &Threads, Replays &Shown);

/// Adds waits for what was posted to a queue pair that may be one of several, behind rdma_wait of the same
/// one.
void addAwaited(Inventory &Stock, const std::deque<CountedThread> &Threads);

/// Takes from what the CPU writes behind ibv_destroy_qp the pairs with what was posted to that queue pair.
void addEnded(Inventory &Stock, const std::deque<CountedThread> &Threads);

} // namespace rdma::clang_ir

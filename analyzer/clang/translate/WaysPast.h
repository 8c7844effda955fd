// The ways on which a thread passes by a poll because of a condition that says nothing of completions.
//
// `if (i % 4 == 3) wait();` and `while (out > 0) out -= poll();` wait as the program has counted. Where the
// counting has not followed that, it is not known whether completions have been taken on the other way.
#pragma once

#include "analyzer/clang/translate/Polls.h"

namespace rdma::clang_ir {

/// Edges out of blocks that decide, directly or by deciding whether another such block comes, whether the
/// poll comes in this round of its loops. Not those of conditions that are results of posts and polls, nor
/// the ways into code that does not return.
std::vector<Edge> waysPast(const llvm::CallBase &Poll, const llvm::LoopInfo &Loops,
                           const std::function<bool(const llvm::CallBase &)> &PostsOrPolls);

/// Of a call in a loop that goes round until something changes in memory, as the call may do it (`while
/// (!done) handle_events();`): the edge on which the thread passes the loop by without a round, or leaves it.
std::optional<Edge> wayWithoutRound(const llvm::CallBase &Call, const llvm::LoopInfo &Loops);

/// Are all uses of a poll's result comparisons that decide where control goes? Else how many completions it
/// took is kept elsewhere.
bool onlyCompared(const llvm::CallBase &Poll);

} // namespace rdma::clang_ir

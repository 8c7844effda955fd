// How many completions a poll is known to have taken, and on which edges of the control flow.
//
// A call of ibv_poll_cq polls nothing by itself: what counts is what the program then knows of its result k.
// On an edge where k >= c is known for the first time, c completions were taken. Where no test of
// the program's tells a negative result from completions (FailedCalls.h), results are taken not to be
// negative.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <map>
#include <vector>

namespace rdma::clang_ir {

/// A successor of a block, by number.
using Edge = std::pair<const llvm::BasicBlock *, unsigned>;

struct PollsOnEdge {
  const llvm::CallBase *Call;
  unsigned Count;
};

/// Most: the largest result, or 0 when it is not known. Waits: the result is -1 or that, as of
/// rdma_get_send_comp. Adds what Call polled to the edges where it is known.
/// True: what a sum over the results of a loop says was placed behind it.
bool placePolls(const llvm::CallBase *Call, std::uint64_t Most, bool Waits, const llvm::DominatorTree &Tree,
                const llvm::LoopInfo &Loops, std::map<Edge, std::vector<PollsOnEdge>> &Into);

/// The same for ibv_start_poll and ibv_next_poll: one completion was taken where the result is known to be 0.
void placeStartedPoll(const llvm::CallBase *Call, const llvm::DominatorTree &Tree,
                      std::map<Edge, std::vector<PollsOnEdge>> &Into);

/// Can the loop around the call go on after it has taken completions? Then it has taken more than is known
/// where the loop is left.
/// Started: it is ibv_start_poll or ibv_next_poll.
bool takesMore(const llvm::CallBase *Call, const llvm::DominatorTree &Tree, const llvm::Loop &Around,
               bool Started);

/// A way on which a poll may have failed. Certain: no other result leads there.
struct FailedWay {
  Edge At;
  bool Certain;
};

/// Those out of tests that exclude a failure on another way: what the call then has taken is not known. Not
/// those that end the process.
std::vector<FailedWay> failedWays(const llvm::CallBase *Call, const llvm::DominatorTree &Tree);

/// The successor of the block of a call, or of what is made of its result, that is taken when this is zero,
/// if the block ends in a branch on that; else -1.
int successorOnZero(const llvm::Instruction *Result);

} // namespace rdma::clang_ir

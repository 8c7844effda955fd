// Where a program sees that a call has failed, of those that return 0 when they have done what they do.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <utility>

namespace rdma::clang_ir {

/// Ways out of blocks, by the number of the successor, that a zero for the result would not have taken:
/// behind them the call may have done nothing. A result that decides nothing has none.
llvm::SmallVector<std::pair<const llvm::BasicBlock *, unsigned>, 4>
waysWhereFailed(const llvm::CallBase &Call);

/// Does the program tell a failed poll from what has been taken: by any test of a number that it computes of
/// the result, which comes out otherwise for -1 than for each number of completions, or of a sum that it is
/// added to, which a failure makes larger than any limit, or that it is taken from, which a failure makes
/// more, or of anything else that becomes of it, if that test ends the polling? Most: the largest result, or
/// 0 when it is not known.
bool tellsFailedPolls(const llvm::CallBase &Poll, std::uint64_t Most);

/// The successor of a block that tests a completion's status, where that is not success; else -1.
int successorOnFailedCompletion(const llvm::BasicBlock &Block);

} // namespace rdma::clang_ir

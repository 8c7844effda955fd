// Pointers that a loop passes round: `std::swap(filled, sent)` at the end of each round.
//
// Which of two buffers a pointer leads to is then known of each second round, and that the two are never the
// same. Two rounds in one, each pointer has what it had before, and is no variable of the loop any more.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace rdma::clang_ir {

/// After so many rounds each of the pointers is back; 0: there are none, or it takes too many.
unsigned roundsUntilBack(const llvm::Loop &L);

} // namespace rdma::clang_ir

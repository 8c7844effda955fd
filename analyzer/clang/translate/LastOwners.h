// Where the last owner of a block ends it.
//
// `if (--block->owners == 0) free(block);` ends the block when the others are gone. Where the counting has
// not followed how many there are, it is not known whether they are.
#pragma once

#include "analyzer/clang/translate/Polls.h"

#include <llvm/IR/Dominators.h>

namespace rdma::clang_ir {

/// The edges on which a number in memory, which the program takes from, is what the last one finds, and which
/// alone lead to something that is freed. Frees: does this call free?
std::vector<Edge> lastOwners(const llvm::Function &F, const llvm::DominatorTree &Tree,
                             llvm::function_ref<bool(const llvm::CallBase &)> Frees);

} // namespace rdma::clang_ir

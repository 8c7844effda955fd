// Where the variables of a function end, also those of which clang does not say it.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Clang marks the end of a scope. It marks nothing for parameters, variables whose scope is jumped into, the
/// compound literals and the temporaries of C, and nothing on the way of an exception through a function that
/// has no destructor to run there. These get markers wherever the function is left, and temporaries behind
/// their last use.
void markEndsOfFrames(llvm::Module &M);

/// For a function whose exceptions nobody catches, whenever something has been inlined into it: the process
/// ends where one is thrown that would leave it, and what would be cleaned up on the way is not.
void endProcessByExceptions(llvm::Function &F);

/// Once nothing is cleaned up any more: all ends are markers of lifetimes, and none is a write of a value.
void settleEnds(llvm::Function &F);

/// A use that only says where the life of a variable begins or ends.
bool saysLife(const llvm::User &U);

} // namespace rdma::clang_ir

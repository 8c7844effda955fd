// Where the result of a call is kept: what the program does there, it does with the result.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

/// The result, and every value that may be it: behind casts, where ways meet, and read from memory of the
/// function's that it is stored to.
llvm::SmallVector<const llvm::Value *, 8> keptResults(const llvm::CallBase &Call);

/// What may be read back of it: loads of the function's that read as much from the same variable or block.
llvm::SmallVector<const llvm::Value *, 8> loadsOf(const llvm::StoreInst &Store);

} // namespace rdma::clang_ir

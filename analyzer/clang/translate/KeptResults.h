// Where the result of a call is kept: what the program does there, it does with the result.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

/// The result, and every value that may be it: behind casts, where ways meet, and read from memory of the
/// function's that it is stored to.
llvm::SmallVector<const llvm::Value *, 8> keptResults(const llvm::CallBase &Call);

/// The function's loads from the variable or block that the place is in.
llvm::SmallVector<const llvm::LoadInst *, 8> loadsOf(const llvm::Function &F, const llvm::Value *Place);

} // namespace rdma::clang_ir

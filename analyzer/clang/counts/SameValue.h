// Two places of a thread that name an object by the same value, whatever that is.
#pragma once

#include "analyzer/clang/counts/Sites.h"

namespace rdma::clang_ir {

/// Loads of the first name for which the second has loads of its own.
using FoundTwice = llvm::SmallPtrSet<const llvm::Instruction *, 4>;

/// One value, or found twice at one place that nothing changes in between.
bool sameValue(const CountedThread &T, const llvm::Value *A, const llvm::Value *B,
               FoundTwice *Twice = nullptr);

/// Is the value what the call finds so many bytes behind its first argument?
bool isFoundAt(const CountedThread &T, const llvm::Value *V, const llvm::CallBase &Call, std::int64_t Member,
               FoundTwice *Twice = nullptr);

} // namespace rdma::clang_ir

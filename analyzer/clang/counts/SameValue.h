// Two places of a thread that name an object by the same value, whatever that is.
#pragma once

#include "analyzer/clang/counts/Sites.h"

namespace rdma::clang_ir {

/// One value, or found twice at one place that nothing changes in between.
bool sameValue(const CountedThread &T, const llvm::Value *A, const llvm::Value *B);

} // namespace rdma::clang_ir

// Calls by a table of virtual functions.
#pragma once

#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

/// By a table that the object points to: what else is in it is asked of, too.
bool isVirtual(const llvm::CallBase &Call);

} // namespace rdma::clang_ir

// Calls by a table of virtual functions.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

/// Of where an object's table is: Clang notes that with the load. Any other struct of functions is found
/// in the same way.
bool readsTable(const llvm::LoadInst &Load);

/// By a table that the object points to: what else is in it is asked of, too.
bool isVirtual(const llvm::CallBase &Call);

} // namespace rdma::clang_ir

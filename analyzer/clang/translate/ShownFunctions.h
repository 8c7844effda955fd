// Whether code outside the sources may come by the address of a function, and call it.
#pragma once

#include <llvm/IR/Function.h>

namespace rdma::clang_ir {

/// Is the address stored where others look, returned to them, or in a table that they can name or are given?
/// A function of a library that is given it calls it there, which is that call's affair.
bool isShown(const llvm::Function &F);

} // namespace rdma::clang_ir

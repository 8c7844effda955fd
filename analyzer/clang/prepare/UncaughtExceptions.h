// Functions whose exceptions nobody catches.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Marks the functions that no frame with a handler is above, nor one that lets no exception out: `main`,
/// what a thread begins with, and in a program with its `main` what no function with a handler leads to. What
/// leaves them ends the process where it is thrown, for a handler is looked for before anything is cleaned
/// up. None is marked where the end of a thread may run the same code.
void markUncaught(llvm::Module &M);

/// Has it been marked?
bool isUncaught(const llvm::Function &F);

} // namespace rdma::clang_ir

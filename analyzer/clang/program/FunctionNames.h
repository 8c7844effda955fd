// What the sources call a function, and where they have it.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

namespace rdma::clang_ir {

/// Without scope and parameters; the symbol where the sources do not have it.
std::string sourceName(const llvm::Function &F);

/// "FILE:LINE"; empty where the sources do not have it.
std::string placeOf(const llvm::Function &F);

} // namespace rdma::clang_ir

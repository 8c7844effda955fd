// Functions that only code outside the sources can begin, though something in the sources names them.
#pragma once

#include "analyzer/clang/prepare/Pipeline.h"

#include <vector>

namespace rdma::clang_ir {

/// - Of functions that only call each other, or themselves, one that other files can name: main, where it is
///   among them.
/// - A function in a table that other files can name, or that a function of set-up code returns, where
///   nothing that is run in sight names it: `const struct ops ours = {open, set};`.
///
/// Entries, Setup: what is known to be run.
std::vector<llvm::Function *> calledFromOutside(llvm::Module &M, const FunctionSet &Entries,
                                                const std::vector<llvm::Function *> &Setup);

} // namespace rdma::clang_ir

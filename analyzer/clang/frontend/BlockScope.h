// Which of the variables that clang does not declare live as long as their block.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Clang tells variables and compound literals from temporaries by a name only. Marks them, and drops the
/// names of all values of functions.
void markBlockScope(llvm::Module &Unit);

/// False for a temporary: it ends with its expression.
bool hasBlockScope(const llvm::Instruction &Variable);

} // namespace rdma::clang_ir

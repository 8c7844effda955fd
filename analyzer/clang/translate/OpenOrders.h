// Expressions of which another order of evaluation may change what is in flight when something is done: one
// operand posts or polls, and another one touches memory.
#pragma once

#include "ir/Program.h"

#include <llvm/IR/Module.h>

#include <utility>
#include <vector>

namespace rdma::clang_ir {

/// By the function that they are in. Before anything is inlined.
std::vector<std::pair<const llvm::Function *, Place>> openOrders(const llvm::Module &M);

} // namespace rdma::clang_ir

// Mutexes of the C++ library that are taken together.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Whoever comes back from std::lock(a, b, ...), which std::scoped_lock calls, holds all of them. Which one
/// it waits for, and which it tries and gives back, goes by numbers in an array; taken one after the other,
/// each has its name.
void lockTogether(llvm::Module &M);

} // namespace rdma::clang_ir

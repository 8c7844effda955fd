// Waits of the C++ library: semaphores, latches, std::atomic::wait.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Before it waits, and whenever it is woken, the library looks whether it still has to. How often it looks
/// before it gives way shows nobody: it does not at all, so that what it looks for stands there once.
void waitAtOnce(llvm::Module &M);

} // namespace rdma::clang_ir

// Loops that do nothing but wait for a value in memory.
//
// Whoever waits for a value that another node writes reads again until it is there: what it read before that
// decides nothing. Which value it is, the graph says of constants only (OperationKind::Assume).
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <functional>

namespace rdma::clang_ir {

/// The loop around the load writes nothing, and is left for what was loaded there by a test that is none for
/// equality with a constant. Harmless: calls that touch no memory, or order it.
bool awaitsUnknown(const llvm::LoadInst &Load, const llvm::LoopInfo &Loops,
                   const std::function<bool(const llvm::CallBase &)> &Harmless);

} // namespace rdma::clang_ir

// Cycles of the control flow that are entered at several places.
//
// "How often", "once for each round" and "before the next round" are asked of natural loops (llvm::LoopInfo),
// which have one way in. A cycle with several is none, and all of these would be answered as if nothing there
// ran twice. goto makes such cycles, and so does jump threading.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

namespace rdma::clang_ir {

/// Is every cycle of the function a natural loop?
bool hasOnlyNaturalLoops(const llvm::Function &F, const llvm::LoopInfo &Loops);

/// Gives each cycle one way in, a block that goes on to where it was entered. A cycle that a computed goto
/// enters stays as it is. Returns whether anything changed.
bool makeLoopsNatural(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);

} // namespace rdma::clang_ir

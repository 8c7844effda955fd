// Variables that are read before anything is stored there, when they have ended, or beside them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace rdma::clang_ir {

/// What such a variable holds is anything, and something else each time: LLVM would take what suits it, so
/// that `int sent; if (some) sent = 1; if (sent) wait();` always waits. To be run before variables become
/// values: integers that are, or are parts of, local variables whose address stays here, or in
/// others of these, and that may be read before they are set, begin with what nobody knows, and end with it.
/// So is what a constant index past the end of one finds.
struct UnsetVariables : llvm::PassInfoMixin<UnsetVariables> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// And behind that: without the beginnings that nothing reads, nor those of which only a way past all cases
/// of an enumeration would come, which is none (frontend/CoveredSwitches.h).
struct DropUnread : llvm::PassInfoMixin<DropUnread> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Does the load find what nobody knows?
bool findsAnything(const llvm::LoadInst &Load);

} // namespace rdma::clang_ir

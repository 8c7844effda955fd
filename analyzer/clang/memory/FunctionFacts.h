// What the analyses of one function need to live.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace rdma::clang_ir {

struct FunctionFacts {
  explicit FunctionFacts(llvm::Function &F)
      : Tree(F), Loops(Tree), LibraryImpl(llvm::Triple(F.getParent()->getTargetTriple())),
        Library(LibraryImpl), Assumptions(F), Evolution(F, Library, Assumptions, Tree, Loops) {}
  llvm::DominatorTree Tree;
  llvm::LoopInfo Loops;
  llvm::TargetLibraryInfoImpl LibraryImpl;
  llvm::TargetLibraryInfo Library;
  llvm::AssumptionCache Assumptions;
  llvm::ScalarEvolution Evolution;
};

} // namespace rdma::clang_ir

#include "analyzer/clang/prepare/NaturalLoops.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What is thrown at different places arrives at blocks of their own: none of them is where a cycle is
/// entered from outside and from inside.
void splitLandingPads(Function &F) {
  for (BasicBlock &Block : make_early_inc_range(F)) {
    if (!Block.isLandingPad())
      continue;
    BasicBlock *Rest = &Block;
    while (Rest && Rest->hasNPredecessorsOrMore(2)) {
      SmallVector<BasicBlock *, 2> Parts;
      SplitLandingPadPredecessors(Rest, {*pred_begin(Rest)}, ".one", ".others", Parts);
      Rest = Parts.size() == 2 ? Parts[1] : nullptr;
    }
  }
}

/// FixIrreducible redirects branches only.
void endInBranches(Function &F) {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> Edges;
  for (BasicBlock &Block : F)
    if (auto *Call = dyn_cast<InvokeInst>(Block.getTerminator()))
      Edges.push_back({&Block, Call->getNormalDest()});
  for (auto [From, To] : Edges)
    SplitEdge(From, To);
}

bool jumpsByAddress(const Function &F) {
  return any_of(
      F, [](const BasicBlock &Block) { return isa<IndirectBrInst, CallBrInst>(Block.getTerminator()); });
}

} // namespace

bool hasOnlyNaturalLoops(const Function &F, const LoopInfo &Loops) {
  ReversePostOrderTraversal<const Function *> Order(&F);
  return !containsIrreducibleCFG<const BasicBlock *>(Order, Loops);
}

bool makeLoopsNatural(Function &F, FunctionAnalysisManager &Analyses) {
  if (hasOnlyNaturalLoops(F, Analyses.getResult<LoopAnalysis>(F)) || jumpsByAddress(F))
    return false;
  splitLandingPads(F);
  endInBranches(F);
  Analyses.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Natural;
  Natural.addPass(LowerSwitchPass());
  Natural.addPass(FixIrreduciblePass());
  Natural.run(F, Analyses);
  Analyses.invalidate(F, PreservedAnalyses::none());
  return true;
}

} // namespace rdma::clang_ir

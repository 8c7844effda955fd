#include "analyzer/clang/translate/KeptResults.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

SmallVector<const LoadInst *, 8> loadsOf(const Function &F, const Value *Place) {
  SmallVector<const LoadInst *, 8> All;
  const Value *Object = getUnderlyingObject(Place);
  for (const Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && getUnderlyingObject(Load->getPointerOperand()) == Object)
      All.push_back(Load);
  return All;
}

SmallVector<const Value *, 8> keptResults(const CallBase &Call) {
  SmallVector<const Value *, 8> All = {&Call};
  SmallPtrSet<const Value *, 16> Seen = {&Call};
  auto add = [&](const Value *V) {
    if (Seen.insert(V).second)
      All.push_back(V);
  };
  for (unsigned I = 0; I < All.size(); ++I)
    for (const User *U : All[I]->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (isa<CastInst, FreezeInst, PHINode, SelectInst>(U))
        add(U);
      if (Store && Store->getValueOperand() == All[I])
        for (const LoadInst *Load : loadsOf(*Store->getFunction(), Store->getPointerOperand()))
          if (Load->getType() == All[I]->getType())
            add(Load);
    }
  return All;
}

} // namespace rdma::clang_ir

#include "analyzer/clang/frontend/Prototypes.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/CallPromotionUtils.h>

namespace rdma::clang_ir {

using namespace llvm;

void callByPrototype(Module &All) {
  for (Function &Callee : All) {
    SmallVector<CallBase *, 8> Others;
    for (User *U : Callee.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        if (Call->getCalledOperand() == &Callee && !Call->getCalledFunction() && !Call->isMustTailCall() &&
            isLegalToPromote(*Call, &Callee))
          Others.push_back(Call);
    for (CallBase *Call : Others)
      promoteCall(*Call, &Callee);
  }
}

} // namespace rdma::clang_ir

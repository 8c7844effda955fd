#include "analyzer/clang/api/VirtualCalls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

bool isVirtual(const CallBase &Call) {
  auto *Slot = dyn_cast<LoadInst>(Call.getCalledOperand());
  return Slot && isa<LoadInst>(getUnderlyingObject(Slot->getPointerOperand()));
}

} // namespace rdma::clang_ir

#include "analyzer/clang/api/VirtualCalls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

bool readsTable(const LoadInst &Load) {
  const MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
  auto *Type = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name = Type && Type->getNumOperands() > 0 ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  return Name && Name->getString() == "vtable pointer";
}

bool isVirtual(const CallBase &Call) {
  auto *Slot = dyn_cast<LoadInst>(Call.getCalledOperand());
  auto *Table = Slot ? dyn_cast<LoadInst>(getUnderlyingObject(Slot->getPointerOperand())) : nullptr;
  return Table && readsTable(*Table);
}

} // namespace rdma::clang_ir

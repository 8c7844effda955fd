#include "analyzer/clang/prepare/CaughtExceptions.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool isStandardClass(const DIType *Type) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Type))
    Type = Derived->getBaseType();
  auto *Class = dyn_cast_or_null<DICompositeType>(Type);
  auto *Space = Class ? dyn_cast_or_null<DINamespace>(Class->getScope()) : nullptr;
  return Space && Space->getName() == "std" && !Space->getScope();
}

/// Is it what a handler calls the exception, of a class of the library?
bool isCaughtStandard(AllocaInst &Variable) {
  const bool IsCaught = all_of(Variable.users(), [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store)
      return isa<LoadInst, CallBase>(U);
    auto *Begin = dyn_cast<CallBase>(Store->getValueOperand());
    const Function *Callee = Begin ? Begin->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == "__cxa_begin_catch";
  });
  return IsCaught && any_of(findDVRDeclares(&Variable), [](const DbgVariableRecord *Declared) {
           return isStandardClass(Declared->getVariable()->getType());
         });
}

/// Virtual, behind the two destructors: of a class that derives from std::exception that is what().
bool callsWhat(const CallBase &Call) {
  constexpr unsigned Slot = 2;
  auto *Function = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Function || Call.arg_size() != 1 || !Call.getType()->isPointerTy())
    return false;
  const DataLayout &Layout = Call.getModule()->getDataLayout();
  APInt At(Layout.getPointerSizeInBits(), 0);
  auto *Table = dyn_cast<LoadInst>(Function->getPointerOperand()->stripAndAccumulateConstantOffsets(
      Layout, At, /*AllowNonInbounds=*/true));
  const Value *Object = Table ? Table->getPointerOperand() : nullptr;
  auto *Read = dyn_cast_or_null<LoadInst>(Object);
  auto *Variable = Read ? dyn_cast<AllocaInst>(Read->getPointerOperand()) : nullptr;
  return Variable && Object == Call.getArgOperand(0) && At == Slot * Layout.getPointerSize() &&
         isCaughtStandard(*const_cast<AllocaInst *>(Variable));
}

} // namespace

void callWhatByName(Module &M) {
  if (any_of(M, [](const Function &F) {
        return F.getName().contains("4what") && !F.getName().starts_with("_ZNKSt");
      }))
    return;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Call->isIndirectCall() || !callsWhat(*Call))
        continue;
      Value *Found = Call->getCalledOperand();
      Call->setCalledFunction(M.getOrInsertFunction("_ZNKSt9exception4whatEv", Call->getFunctionType()));
      // Where it is found, nobody asks any more.
      if (auto *Search = dyn_cast_or_null<Instruction>(Found))
        RecursivelyDeleteTriviallyDeadInstructions(Search);
    }
}

} // namespace rdma::clang_ir

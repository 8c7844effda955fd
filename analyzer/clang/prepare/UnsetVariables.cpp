#include "analyzer/clang/prepare/UnsetVariables.h"
#include "analyzer/clang/frontend/CoveredSwitches.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Anything = "rdma.anything";
constexpr const char *Marked = "rdma.begins";
constexpr std::size_t MostParts = 16;

/// The integers in an object of the type; false: there are too many.
bool partsOf(Type *T, std::int64_t At, const DataLayout &Layout,
             SmallVectorImpl<std::pair<std::int64_t, Type *>> &Parts) {
  if (T->isIntegerTy() && T->getIntegerBitWidth() <= 64)
    Parts.push_back({At, T});
  else if (auto *Struct = dyn_cast<StructType>(T)) {
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      if (!partsOf(Struct->getElementType(I), At + Layout.getStructLayout(Struct)->getElementOffset(I),
                   Layout, Parts))
        return false;
  } else if (auto *Array = dyn_cast<ArrayType>(T)) {
    const std::int64_t Step = Layout.getTypeAllocSize(Array->getElementType());
    for (std::uint64_t I = 0; I < Array->getNumElements(); ++I)
      if (!partsOf(Array->getElementType(), At + I * Step, Layout, Parts))
        return false;
  }
  return Parts.size() <= MostParts;
}

/// Only loads and stores here, so that it becomes values.
bool staysHere(const Value &Address) {
  return all_of(Address.users(), [&](const User *U) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      return !Load->isVolatile();
    if (auto *Store = dyn_cast<StoreInst>(U))
      return !Store->isVolatile() && Store->getValueOperand() != &Address;
    if (auto *Step = dyn_cast<GetElementPtrInst>(U))
      return Step->hasAllConstantIndices() && staysHere(*Step);
    if (auto *Move = dyn_cast<MemIntrinsic>(U))
      return !Move->isVolatile() && isa<ConstantInt>(Move->getLength());
    return isa<LifetimeIntrinsic>(U) || isa<DbgInfoIntrinsic>(U);
  });
}

bool begins(AllocaInst &Variable, GlobalVariable *&From) {
  Module &M = *Variable.getModule();
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<std::pair<std::int64_t, Type *>, 4> Parts;
  if (!partsOf(Variable.getAllocatedType(), 0, Layout, Parts) || Parts.empty() || !staysHere(Variable))
    return false;
  Variable.setMetadata(Marked, MDNode::get(M.getContext(), {}));
  if (!From && !(From = M.getNamedGlobal(Anything)))
    From = new GlobalVariable(M, Type::getInt64Ty(M.getContext()), false, GlobalValue::ExternalLinkage,
                              nullptr, Anything);
  SmallVector<Instruction *, 2> Places;
  bool IsBegun = false;
  for (User *U : Variable.users())
    if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U)) {
      Places.push_back(Marker->getNextNode());
      IsBegun |= Marker->getIntrinsicID() == Intrinsic::lifetime_start;
    }
  if (!IsBegun)
    Places.push_back(Variable.getNextNode());
  for (Instruction *Place : Places) {
    IRBuilder<> Build(Place);
    for (auto [At, T] : Parts)
      Build.CreateStore(Build.CreateLoad(T, From, /*isVolatile=*/true),
                        At ? Build.CreatePtrAdd(&Variable, Build.getInt64(At)) : &Variable);
  }
  return true;
}

/// Does control come from the block only where a switch has no case, which has one for each enumerator?
bool isPastCovered(const BasicBlock *Block, const BasicBlock *To) {
  constexpr unsigned MostBlocks = 8;
  for (unsigned Count = 0; Block && Count < MostBlocks; ++Count) {
    if (auto *Switch = dyn_cast<SwitchInst>(Block->getTerminator()))
      return isCovered(*Switch) && Switch->getDefaultDest() == To &&
             none_of(Switch->cases(), [&](auto Case) { return Case.getCaseSuccessor() == To; });
    To = Block;
    Block = Block->getSinglePredecessor();
  }
  return false;
}

bool leavesOutCovered(PHINode &Phi) {
  bool Changed = false;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I)
    if (auto *Load = dyn_cast<LoadInst>(Phi.getIncomingValue(I));
        Load && findsAnything(*Load) && isPastCovered(Phi.getIncomingBlock(I), Phi.getParent())) {
      Phi.setIncomingValue(I, UndefValue::get(Phi.getType()));
      Changed = true;
    }
  return Changed;
}

} // namespace

bool findsAnything(const LoadInst &Load) {
  auto *From = dyn_cast<GlobalVariable>(Load.getPointerOperand());
  return From && From->getName() == Anything;
}

PreservedAnalyses UnsetVariables::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *, 16> Variables;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && Variable->isStaticAlloca() && !Variable->getMetadata(Marked))
      Variables.push_back(Variable);
  GlobalVariable *From = nullptr;
  bool Changed = false;
  for (AllocaInst *Variable : Variables)
    Changed |= begins(*Variable, From);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses DropUnread::run(Function &F, FunctionAnalysisManager &) {
  bool Changed = false;
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      Changed |= leavesOutCovered(Phi);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->use_empty() && findsAnything(*Load)) {
      Load->eraseFromParent();
      Changed = true;
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace rdma::clang_ir

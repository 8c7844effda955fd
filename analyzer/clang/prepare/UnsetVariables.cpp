#include "analyzer/clang/prepare/UnsetVariables.h"
#include "analyzer/clang/frontend/CoveredSwitches.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <set>

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

/// Does the instruction set all of the variable, or does it begin anew there?
bool settles(const Instruction &I, const AllocaInst &Variable) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand() == &Variable &&
           Store->getValueOperand()->getType() == Variable.getAllocatedType();
  auto *Marker = dyn_cast<LifetimeIntrinsic>(&I);
  return Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_start &&
         Marker->getArgOperand(1)->stripPointerCasts() == &Variable;
}

/// May something be read from the variable behind the place, before that is settled? Of its parts, each by
/// itself, nothing is said but that they may.
bool isReadUnset(const AllocaInst &Variable, const Instruction &Place) {
  if (!Variable.getAllocatedType()->isIntegerTy())
    return true;
  std::set<const BasicBlock *> Seen;
  std::vector<const Instruction *> Work{&Place};
  while (!Work.empty()) {
    const Instruction *I = Work.back();
    Work.pop_back();
    for (; I && !settles(*I, Variable); I = I->getNextNode()) {
      if (is_contained(I->operand_values(), &Variable) && !isa<StoreInst, LifetimeIntrinsic>(I))
        return true;
      if (I->isTerminator())
        for (const BasicBlock *Next : successors(I->getParent()))
          if (Seen.insert(Next).second)
            Work.push_back(&Next->front());
    }
  }
  return false;
}

bool begins(AllocaInst &Variable, GlobalVariable *&From) {
  Module &M = *Variable.getModule();
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<std::pair<std::int64_t, Type *>, 4> Parts;
  if (!partsOf(Variable.getAllocatedType(), 0, Layout, Parts) || Parts.empty() || !staysHere(Variable))
    return false;
  Variable.setMetadata(Marked, MDNode::get(M.getContext(), {}));
  SmallVector<Instruction *, 2> Places;
  bool IsBegun = false;
  for (User *U : Variable.users())
    if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U)) {
      Places.push_back(Marker->getNextNode());
      IsBegun |= Marker->getIntrinsicID() == Intrinsic::lifetime_start;
    }
  if (!IsBegun)
    Places.push_back(Variable.getNextNode());
  erase_if(Places, [&](const Instruction *Place) { return !isReadUnset(Variable, *Place); });
  if (!Places.empty() && !From && !(From = M.getNamedGlobal(Anything)))
    From = new GlobalVariable(M, Type::getInt64Ty(M.getContext()), false, GlobalValue::ExternalLinkage,
                              nullptr, Anything);
  for (Instruction *Place : Places) {
    IRBuilder<> Build(Place);
    for (auto [At, T] : Parts)
      Build.CreateStore(Build.CreateLoad(T, From, /*isVolatile=*/true),
                        At ? Build.CreatePtrAdd(&Variable, Build.getInt64(At)) : &Variable);
  }
  return !Places.empty();
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

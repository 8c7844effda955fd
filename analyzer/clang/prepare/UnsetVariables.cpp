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

bool isInteger(const Type &T) { return T.isIntegerTy() && T.getIntegerBitWidth() <= 64; }

/// The integers in an object of the type; false: there are too many.
bool partsOf(Type *T, std::int64_t At, const DataLayout &Layout,
             SmallVectorImpl<std::pair<std::int64_t, Type *>> &Parts) {
  if (isInteger(*T))
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

/// Local variables that hold the address of one, and choices between such addresses.
using Holders = std::set<const Value *>;

/// Only loads and stores here, so that it becomes values; and its address goes no further than into choices
/// and to variables of which that holds, too.
bool staysHere(const Value &Address, Holders *By) {
  return all_of(Address.users(), [&](const User *U) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      return !Load->isVolatile();
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Store->isVolatile() || Store->getValueOperand() != &Address)
        return !Store->isVolatile();
      auto *Holder = dyn_cast<AllocaInst>(Store->getPointerOperand()->stripInBoundsConstantOffsets());
      return By && Holder && (!By->insert(Holder).second || staysHere(*Holder, nullptr));
    }
    if (auto *Step = dyn_cast<GetElementPtrInst>(U))
      return Step->hasAllConstantIndices() && staysHere(*Step, By);
    if (isa<PHINode, SelectInst>(U))
      return By && (!By->insert(U).second || staysHere(*U, By));
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
bool isReadUnset(const AllocaInst &Variable, const Holders &By, const Instruction &Place) {
  if (!isInteger(*Variable.getAllocatedType()))
    return true;
  auto reads = [&](const Instruction &I) {
    auto *Load = dyn_cast<LoadInst>(&I);
    return (Load && By.count(Load->getPointerOperand()->stripInBoundsConstantOffsets())) ||
           (is_contained(I.operand_values(), &Variable) && !isa<StoreInst, LifetimeIntrinsic>(I));
  };
  std::set<const BasicBlock *> Seen;
  std::vector<const Instruction *> Work{&Place};
  while (!Work.empty()) {
    const Instruction *I = Work.back();
    Work.pop_back();
    for (; I && !settles(*I, Variable); I = I->getNextNode()) {
      if (reads(*I))
        return true;
      if (I->isTerminator())
        for (const BasicBlock *Next : successors(I->getParent()))
          if (Seen.insert(Next).second)
            Work.push_back(&Next->front());
    }
  }
  return false;
}

GlobalVariable *anything(Module &M) {
  GlobalVariable *Known = M.getNamedGlobal(Anything);
  return Known ? Known
               : new GlobalVariable(M, Type::getInt64Ty(M.getContext()), false, GlobalValue::ExternalLinkage,
                                    nullptr, Anything);
}

bool begins(AllocaInst &Variable) {
  Module &M = *Variable.getModule();
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<std::pair<std::int64_t, Type *>, 4> Parts;
  Holders By;
  Holders *Some = isInteger(*Variable.getAllocatedType()) ? &By : nullptr; // its address may go on from there
  if (!partsOf(Variable.getAllocatedType(), 0, Layout, Parts) || Parts.empty() || !staysHere(Variable, Some))
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
  erase_if(Places, [&](const Instruction *Place) { return !isReadUnset(Variable, By, *Place); });
  for (Instruction *Place : Places) {
    IRBuilder<> Build(Place);
    for (auto [At, T] : Parts)
      Build.CreateStore(Build.CreateLoad(T, anything(M), /*isVolatile=*/true),
                        At ? Build.CreatePtrAdd(&Variable, Build.getInt64(At)) : &Variable);
  }
  return !Places.empty();
}

/// Does it read beside the local variable from which its address is computed?
bool readsBeside(const LoadInst &Load) {
  const DataLayout &Layout = Load.getDataLayout();
  APInt At(64, 0);
  const Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, At, true);
  auto *Variable = dyn_cast<AllocaInst>(Base);
  if (!Variable || !Variable->isStaticAlloca() || !isInteger(*Load.getType()))
    return false;
  const std::optional<TypeSize> Size = Variable->getAllocationSize(Layout);
  const std::int64_t End = At.getSExtValue() + Layout.getTypeStoreSize(Load.getType()).getFixedValue();
  return Size && (At.isNegative() || End > static_cast<std::int64_t>(Size->getFixedValue()));
}

bool readsAnything(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && readsBeside(*Load)) {
      Load->replaceAllUsesWith(
          IRBuilder<>(Load).CreateLoad(Load->getType(), anything(*F.getParent()), /*isVolatile=*/true));
      Load->eraseFromParent();
      Changed = true;
    }
  return Changed;
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
  bool Changed = readsAnything(F);
  for (AllocaInst *Variable : Variables)
    Changed |= begins(*Variable);
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

#include "analyzer/clang/prepare/EndsOfFrames.h"
#include "analyzer/clang/prepare/UncaughtExceptions.h"

#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/BlockScope.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/prepare/Pipeline.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/Local.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Mark = "rdma.ends";

/// Blocks on the way of an exception.
SmallPtrSet<const BasicBlock *, 16> unwinding(const Function &F) {
  SmallPtrSet<const BasicBlock *, 16> All;
  SmallVector<const BasicBlock *, 16> Work;
  for (const BasicBlock &Block : F)
    if (Block.isLandingPad())
      Work.push_back(&Block);
  while (!Work.empty())
    if (const BasicBlock *Block = Work.pop_back_val(); All.insert(Block).second)
      Work.append(succ_begin(Block), succ_end(Block));
  return All;
}

const DILocalVariable *declaredAt(Value *Address) {
  auto Declared = findDVRDeclares(Address);
  auto Older = findDbgDeclares(Address);
  return !Declared.empty() ? Declared.front()->getVariable()
         : !Older.empty()  ? Older.front()->getVariable()
                           : nullptr;
}

/// A class that is copied for the call: its place is handed over, as that of a reference is.
bool isCopy(Argument &A) {
  if (A.hasByValAttr())
    return true;
  auto isClass = [](const DILocalVariable *Variable) {
    auto *Held = Variable ? dyn_cast_or_null<DICompositeType>(strip(Variable->getType())) : nullptr;
    return Held && Held->getTag() != dwarf::DW_TAG_array_type;
  };
  if (!A.getType()->isPointerTy() || A.hasStructRetAttr())
    return false;
  return isClass(declaredAt(&A)) || any_of(A.users(), [&](User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           auto *Into = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
           // A class that comes in a register has a variable of its own type.
           return Into && Into->getAllocatedType()->isPointerTy() && isClass(declaredAt(Into));
         });
}

/// Nobody sends what the C++ library keeps in its own variables.
bool isOfLibrary(const Function &F) { return declarerOf(F) == Declarer::Standard; }

struct Ending {
  SmallVector<Value *, 8> WhereverLeft, ByException;
};

Ending endingIn(Function &F) {
  Ending All;
  const auto Unwinding = unwinding(F);
  for (Instruction &I : instructions(F)) {
    auto *Variable = dyn_cast<AllocaInst>(&I);
    if (!Variable || !Variable->isStaticAlloca() || !PointerMayBeCaptured(Variable, false, true))
      continue;
    bool Ends = false, EndsUnwinding = false;
    for (const User *U : Variable->users())
      if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U);
          Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_end) {
        Ends = true;
        EndsUnwinding |= Unwinding.contains(Marker->getParent());
      }
    if (!Ends)
      All.WhereverLeft.push_back(Variable);
    else if (!EndsUnwinding && !isOfLibrary(F))
      All.ByException.push_back(Variable);
  }
  for (Argument &A : F.args())
    if (isCopy(A))
      All.WhereverLeft.push_back(&A);
  return All;
}

/// The block of the source that the variable is declared in, or that a literal is made in; null: the whole
/// function.
const DIScope *blockOf(AllocaInst &Variable) {
  const DIScope *Block = nullptr;
  if (const DILocalVariable *Declared = declaredAt(&Variable))
    Block = Declared->getScope();
  else
    for (const Instruction &I : instructions(*Variable.getFunction()))
      if (is_contained(I.operands(), &Variable) && I.getDebugLoc()) {
        Block = I.getDebugLoc()->getScope();
        break;
      }
  return isa_and_nonnull<DILexicalBlockBase>(Block) ? Block : nullptr;
}

bool isWithin(const DIScope *Inner, const DIScope *Block) {
  while (Inner && Inner != Block)
    Inner = Inner->getScope();
  return Inner;
}

/// Wherever a way leaves the block.
void markEndOfScope(AllocaInst &Variable) {
  const DIScope *Block = blockOf(Variable);
  if (!Block)
    return;
  SmallVector<Instruction *, 8> Outside;
  for (BasicBlock &B : *Variable.getFunction()) {
    bool Within = &B != &Variable.getFunction()->getEntryBlock();
    for (Instruction &I : B) {
      if (!I.getDebugLoc() || I.getDebugLoc().getLine() == 0 || isa<PHINode>(I) || I.isEHPad())
        continue;
      const bool Here = isWithin(I.getDebugLoc()->getScope(), Block);
      if (Within && !Here)
        Outside.push_back(&I);
      Within = Here;
    }
  }
  for (Instruction *I : Outside)
    IRBuilder<>(I).CreateLifetimeEnd(&Variable);
}

bool isTemporary(AllocaInst &Variable) { return !hasBlockScope(Variable) && !declaredAt(&Variable); }

/// What uses the address, or one that is computed of it.
SmallPtrSet<const Instruction *, 16> usesOf(AllocaInst &Variable) {
  SmallPtrSet<const Instruction *, 16> Uses, Followed;
  SmallVector<Instruction *, 8> Work = {&Variable};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users())
      if (auto *I = cast<Instruction>(U); !isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(I))
        Uses.insert(I);
      else if (Followed.insert(I).second)
        Work.push_back(I);
  return Uses;
}

/// No name leads to a temporary: behind the last use in its expression, its memory is somebody else's.
void markEndOfExpression(AllocaInst &Variable, const PostDominatorTree &Behind) {
  const auto Uses = usesOf(Variable);
  SmallSetVector<BasicBlock *, 8> Ends;
  for (const Instruction *Use : Uses)
    Ends.insert(const_cast<BasicBlock *>(Use->getParent()));
  BasicBlock *All = Ends.empty() ? nullptr : Ends.front();
  for (BasicBlock *Block : Ends)
    All = All ? Behind.findNearestCommonDominator(All, Block) : nullptr;
  if (All) {
    Ends.clear();
    Ends.insert(All);
  }
  for (BasicBlock *Block : Ends) {
    auto Last = find_if(reverse(*Block), [&](Instruction &I) { return Uses.contains(&I); });
    if (Last == Block->rend())
      IRBuilder<>(&*Block->getFirstInsertionPt()).CreateLifetimeEnd(&Variable);
    else if (Instruction *Next = Last->getNextNode())
      IRBuilder<>(Next).CreateLifetimeEnd(&Variable);
    else if (auto *Call = dyn_cast<InvokeInst>(&*Last))
      IRBuilder<>(&*Call->getNormalDest()->getFirstInsertionPt()).CreateLifetimeEnd(&Variable);
  }
}

bool isLeftByException(const IRBuilder<> &At) {
  return isa<ResumeInst>(At.GetInsertBlock()->getTerminator());
}

/// A cleanup with nothing but markers of lifetimes is taken for empty, and dropped: there the variable is
/// written.
void end(Value &V, IRBuilder<> &At) {
  auto *Variable = dyn_cast<AllocaInst>(&V);
  if (!Variable || !isLeftByException(At)) {
    At.CreateLifetimeEnd(&V);
    return;
  }
  const std::uint64_t Size =
      At.GetInsertBlock()->getDataLayout().getTypeAllocSize(Variable->getAllocatedType());
  At.CreateMemSet(Variable, At.getInt8(0), Size, Variable->getAlign())
      ->setMetadata(Mark, MDNode::get(At.getContext(), {}));
}

/// Catches an exception, or lets none out: what is called there is left before.
bool handles(const BasicBlock &Block) {
  return any_of(Block, [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee &&
           (Callee->getName() == "__cxa_begin_catch" || Callee->getName() == "__clang_call_terminate");
  });
}

/// What is run on the way of an exception up to its handlers.
SetVector<BasicBlock *> cleaning(Function &F) {
  SetVector<BasicBlock *> All;
  for (BasicBlock &Block : F)
    if (Block.isLandingPad() && !handles(Block))
      All.insert(&Block);
  for (std::size_t I = 0; I < All.size(); ++I) // which grows
    for (BasicBlock *Next : successors(All[I]))
      if (!handles(*Next))
        All.insert(Next);
  return All;
}

void markEnd(Function &F) {
  const Ending All = endingIn(F);
  if (All.WhereverLeft.empty() && All.ByException.empty())
    return;
  bool Unwinds =
      !isUncaught(F) && (!All.ByException.empty() || (!isOfLibrary(F) && !All.WhereverLeft.empty()));
  if (Unwinds && !F.hasPersonalityFn()) {
    // What is inlined has the personality of the caller.
    Function *OfLanguage = F.getParent()->getFunction("__gxx_personality_v0");
    Unwinds = OfLanguage && !F.doesNotThrow();
    if (Unwinds)
      F.setPersonalityFn(OfLanguage);
  }
  const PostDominatorTree Behind(F); // markers part no block
  for (Value *V : All.WhereverLeft)
    if (auto *Variable = dyn_cast<AllocaInst>(V))
      isTemporary(*Variable) ? markEndOfExpression(*Variable, Behind) : markEndOfScope(*Variable);
  EscapeEnumerator Ways(F, "left", Unwinds);
  while (IRBuilder<> *At = Ways.Next()) {
    if (!At->getCurrentDebugLocation() && F.getSubprogram())
      At->SetCurrentDebugLocation(
          DILocation::get(F.getContext(), F.getSubprogram()->getLine(), 1, F.getSubprogram()));
    for (Value *V : All.WhereverLeft)
      end(*V, *At);
    if (isLeftByException(*At))
      for (Value *V : All.ByException)
        end(*V, *At);
  }
}

} // namespace

void endProcessByExceptions(Function &F) {
  if (!isUncaught(F))
    return;
  SetVector<BasicBlock *> Skipped = cleaning(F);
  auto mayLeadOn = [&](BasicBlock *Block) {
    return any_of(successors(Block), [&](BasicBlock *Next) { return !Skipped.contains(Next); });
  };
  while (Skipped.remove_if(mayLeadOn))
    ;
  for (BasicBlock *Block : Skipped)
    changeToUnreachable(&*Block->getFirstInsertionPt());
}

bool saysLife(const User &U) {
  auto *I = dyn_cast<Instruction>(&U);
  return I && (isa<LifetimeIntrinsic>(I) || I->getMetadata(Mark));
}

void settleEnds(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Set = dyn_cast<MemSetInst>(&I); Set && Set->getMetadata(Mark)) {
      IRBuilder<>(Set).CreateLifetimeEnd(Set->getRawDest());
      Set->eraseFromParent();
    }
}

void markEndsOfFrames(Module &M) {
  for (Function &F : M)
    if (!F.isDeclaration() && !F.isPresplitCoroutine() && !isModelled(F)) {
      endProcessByExceptions(F);
      markEnd(F);
    }
}

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/JoinedRanges.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

std::optional<AbsentHandle> testedForNone(const BasicBlock &Block) {
  auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  auto *Load = Test && Test->isEquality() ? dyn_cast<LoadInst>(Test->getOperand(0)) : nullptr;
  if (!Load || !match(Test->getOperand(1), PatternMatch::m_Zero()) || !Load->getType()->isIntegerTy(64))
    return std::nullopt;
  return AbsentHandle{Load->getPointerOperand(), Test->getPredicate() == CmpInst::ICMP_EQ ? 0u : 1u};
}

bool isOf(const Instruction &I, function_ref<bool(StringRef)> Named) {
  for (const DILocation *Here = I.getDebugLoc(); Here; Here = Here->getInlinedAt())
    if (Named(Here->getScope()->getSubprogram()->getLinkageName()))
      return true;
  return false;
}

} // namespace

std::optional<AbsentHandle> seenAbsent(const BasicBlock &Block) {
  std::optional<AbsentHandle> Tested = testedForNone(Block);
  if (!Tested)
    return std::nullopt;
  const auto *Test = cast<Instruction>(cast<BranchInst>(Block.getTerminator())->getCondition());
  // What is loaded must still be so where it is tested.
  const auto *Load = cast<Instruction>(Test->getOperand(0));
  const bool AtOnce =
      Load->getParent() == &Block && none_of(make_range(Load->getIterator(), Block.end()),
                                             [](const Instruction &I) { return I.mayWriteToMemory(); });
  return AtOnce && isOf(*Load, [](StringRef Name) { return Name == "_ZNKSt6thread8joinableEv"; })
             ? Tested
             : std::nullopt;
}

static bool isAssumeLike(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->isAssumeLikeIntrinsic();
}

bool readsNone(const LoadInst &Load) {
  const Value *Handle = Load.getPointerOperand();
  for (const Instruction *I = Load.getPrevNode(); I; I = I->getPrevNode())
    if (I->mayWriteToMemory() && !isAssumeLike(*I)) {
      auto *Store = dyn_cast<StoreInst>(I);
      return Store && Store->getPointerOperand() == Handle &&
             match(Store->getValueOperand(), PatternMatch::m_Zero());
    }
  const BasicBlock *Before = Load.getParent()->getSinglePredecessor();
  std::optional<AbsentHandle> Absent = Before ? seenAbsent(*Before) : std::nullopt;
  return Absent && Absent->Handle == Handle &&
         Before->getTerminator()->getSuccessor(Absent->Successor) == Load.getParent();
}

bool mayPassRound(const Loop &L, function_ref<int(const BasicBlock &)> Settled) {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  SmallVector<const BasicBlock *, 8> Work{L.getHeader()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    const int How = Settled(*Block);
    if (!Seen.insert(Block).second || How == EachWay)
      continue;
    const Instruction &End = *Block->getTerminator();
    for (unsigned I = 0; I < End.getNumSuccessors(); ++I) {
      if (int(I) == How || !L.contains(End.getSuccessor(I)))
        continue;
      if (End.getSuccessor(I) == L.getHeader())
        return true;
      Work.push_back(End.getSuccessor(I));
    }
  }
  return false;
}

bool isOfVector(const Instruction &I, bool Destructor) {
  return isOf(I, [&](StringRef Name) {
    return Name.starts_with("_ZNSt6vectorI") &&
           (!Destructor || Name.ends_with("ED2Ev") || Name.ends_with("ED1Ev"));
  });
}

bool isOfSwap(const Instruction &I) {
  return isOf(I, [](StringRef Name) { return Name.starts_with("_ZSt4swapINSt6thread2idE"); });
}

namespace {

class Rounds {
public:
  Rounds(const Loop &L, const DataLayout &Layout) : L(L), Layout(Layout) {}

  /// The header leaves the loop where an address or an index that each round moves on has come to the end.
  std::optional<JoinedRange> range() {
    auto *Branch = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    const bool Counts = Test && Test->getPredicate() == CmpInst::ICMP_ULT;
    if (!Test || !(Counts || Test->isEquality()) || !L.getLoopLatch() || !L.getLoopPredecessor())
      return std::nullopt;
    JoinedRange R;
    R.Rounds = &L;
    R.Exit = Test->getPredicate() == CmpInst::ICMP_EQ ? 0 : 1;
    if (L.contains(Branch->getSuccessor(R.Exit)) || !L.contains(Branch->getSuccessor(1 - R.Exit)))
      return std::nullopt;
    if (Counts)
      return counted(*Test, R) ? std::optional(R) : std::nullopt;
    for (const bool Swapped : {false, true}) {
      At = dyn_cast<PHINode>(Test->getOperand(Swapped));
      R.End = Test->getOperand(!Swapped);
      if (!At || At->getParent() != L.getHeader() || !At->getType()->isPointerTy() ||
          !L.isLoopInvariant(R.End))
        continue;
      R.Begin = At->getIncomingValueForBlock(L.getLoopPredecessor());
      if (distance(At->getIncomingValueForBlock(L.getLoopLatch())) ==
          std::pair<const Value *, std::int64_t>(At, HandleSize))
        return R;
    }
    return std::nullopt;
  }

  /// Each round leaves its element joined.
  bool join() const {
    return !mayPassRound(
        L, [&](const BasicBlock &Block) { return joins(Block) ? EachWay : withoutThread(Block); });
  }

  bool destroysVector() const {
    return any_of(*L.getHeader(), [](const Instruction &I) { return isOfVector(I, true); });
  }

private:
  /// An index goes from 0 to the distance of the two ends in elements.
  bool counted(const ICmpInst &Test, JoinedRange &R) {
    using namespace PatternMatch;
    At = dyn_cast<PHINode>(Test.getOperand(0));
    Value *Begin = nullptr, *End = nullptr;
    if (!At || At->getParent() != L.getHeader() ||
        !match(At->getIncomingValueForBlock(L.getLoopPredecessor()), m_Zero()) ||
        !match(At->getIncomingValueForBlock(L.getLoopLatch()), m_Add(m_Specific(At), m_One())) ||
        !match(Test.getOperand(1), m_Exact(m_SDiv(m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin))),
                                                  m_SpecificInt(HandleSize)))) ||
        !L.isLoopInvariant(Begin) || !L.isLoopInvariant(End))
      return false;
    R.Begin = First = Begin, R.End = End;
    return true;
  }

  /// How far behind another the address is.
  std::pair<const Value *, std::int64_t> distance(const Value *Address) const {
    APInt Offset(64, 0);
    const Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    return {Base, Offset.getSExtValue()};
  }

  /// Of the element that the round is at?
  bool isHandle(const Value *Address) const {
    auto [Base, Behind] = distance(Address);
    auto *Element = dyn_cast<GetElementPtrInst>(Base);
    const bool ByIndex =
        First && Element && Element->getPointerOperand() == First && Element->getNumIndices() == 1 &&
        Element->getOperand(1) == At &&
        Layout.getTypeAllocSize(Element->getSourceElementType()) == std::uint64_t(HandleSize);
    return Behind == 0 && (ByIndex || Base == At);
  }

  /// The successor that is only reached where the handle has been seen to be none.
  int withoutThread(const BasicBlock &Block) const {
    std::optional<AbsentHandle> Absent = testedForNone(Block);
    return Absent && isHandle(Absent->Handle) ? int(Absent->Successor) : NoWay;
  }

  bool joins(const BasicBlock &Block) const {
    return any_of(Block, [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
      return Row && Row->What == Api::JoinStd && isHandle(Call->getArgOperand(0));
    });
  }

  const Loop &L;
  const DataLayout &Layout;
  const PHINode *At = nullptr;
  const Value *First = nullptr; ///< where At is an index: the element that it counts from
};

} // namespace

std::vector<JoinedRange> findJoinedRanges(const LoopInfo &Loops, const DataLayout &Layout) {
  std::vector<JoinedRange> All;
  for (const Loop *L : const_cast<LoopInfo &>(Loops).getLoopsInPreorder()) {
    Rounds Of(*L, Layout);
    std::optional<JoinedRange> Range = Of.range();
    if (!Range || !Of.join())
      continue;
    Range->Destroys = Of.destroysVector();
    All.push_back(*Range);
  }
  std::erase_if(All, [Whole = All](const JoinedRange &R) {
    return none_of(Whole, [&](const JoinedRange &W) { return W.Destroys && W.isOf(R); });
  });
  return All;
}

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/JoinedRanges.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <set>

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

bool isOfVector(const Instruction &I, bool Destructor) {
  return isOf(I, [&](StringRef Name) {
    return Name.starts_with("_ZNSt6vectorI") &&
           (!Destructor || Name.ends_with("ED2Ev") || Name.ends_with("ED1Ev"));
  });
}

namespace {

/// An element of the range, which a loop is at: so many bytes behind its beginning.
struct Place {
  const Value *Base;
  std::int64_t Behind;
};

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
      std::optional<Place> Next = place(At->getIncomingValueForBlock(L.getLoopLatch()));
      if (Next && Next->Base == At && Next->Behind > 0) {
        R.Step = Next->Behind;
        return R;
      }
    }
    return std::nullopt;
  }

  /// Where in an element the handles are that every round leaves joined.
  std::set<std::int64_t> joined() {
    std::set<std::int64_t> All;
    for (const BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block) {
        const Value *Handle = handleOf(I);
        std::optional<Place> Here = Handle ? place(Handle) : std::nullopt;
        if (Here && Here->Base == At)
          All.insert(Here->Behind);
      }
    std::erase_if(All, [&](std::int64_t Handle) { return mayPass(Handle); });
    return All;
  }

  bool destroysVector() const {
    return any_of(*L.getHeader(), [](const Instruction &I) { return isOfVector(I, true); });
  }

private:
  /// An index goes from 0 to the distance of the two ends in elements.
  bool counted(const ICmpInst &Test, JoinedRange &R) {
    using namespace PatternMatch;
    At = dyn_cast<PHINode>(Test.getOperand(0));
    const APInt *Divisor = nullptr;
    Value *Begin = nullptr, *End = nullptr;
    if (!At || At->getParent() != L.getHeader() ||
        !match(At->getIncomingValueForBlock(L.getLoopPredecessor()), m_Zero()) ||
        !match(At->getIncomingValueForBlock(L.getLoopLatch()), m_Add(m_Specific(At), m_One())) ||
        !match(Test.getOperand(1), m_Exact(m_SDiv(m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin))),
                                                  m_APInt(Divisor)))) ||
        !L.isLoopInvariant(Begin) || !L.isLoopInvariant(End))
      return false;
    R.Begin = First = Begin, R.End = End, R.Step = Size = Divisor->getSExtValue();
    return true;
  }

  std::optional<Place> place(const Value *Address) const {
    APInt Offset(64, 0);
    const Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    // The element that an index leads to is where a pointer would be.
    if (auto *Element = dyn_cast<GetElementPtrInst>(Base);
        First && Element && Element->getPointerOperand() == First && Element->getNumIndices() == 1 &&
        Element->getOperand(1) == At &&
        Layout.getTypeAllocSize(Element->getSourceElementType()) == std::uint64_t(Size))
      Base = At;
    return Place{Base, Offset.getSExtValue()};
  }

  /// Of a join, and of a look whether there is something to join.
  static const Value *handleOf(const Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->getType()->isIntegerTy(64) ? Load->getPointerOperand() : nullptr;
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
    return Row && Row->What == Api::JoinStd ? Call->getArgOperand(0) : nullptr;
  }

  bool isHandle(const Value *Address, std::int64_t Behind) const {
    std::optional<Place> Here = place(Address);
    return Here && Here->Base == At && Here->Behind == Behind;
  }

  /// The successor that is only reached where the handle has been seen to be none.
  int withoutThread(const BasicBlock &Block, std::int64_t Handle) const {
    std::optional<AbsentHandle> Absent = testedForNone(Block);
    return Absent && isHandle(Absent->Handle, Handle) ? int(Absent->Successor) : -1;
  }

  bool joins(const BasicBlock &Block, std::int64_t Handle) const {
    return any_of(Block, [&](const Instruction &I) {
      return isa<CallBase>(I) && handleOf(I) && isHandle(handleOf(I), Handle);
    });
  }

  /// Is there a way through a round that neither joins nor sees that there is nothing to join?
  bool mayPass(std::int64_t Handle) const {
    SmallPtrSet<const BasicBlock *, 8> Seen;
    SmallVector<const BasicBlock *, 8> Work{L.getHeader()};
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      if (!Seen.insert(Block).second || joins(*Block, Handle))
        continue;
      if (Block == L.getLoopLatch() && withoutThread(*Block, Handle) < 0)
        return true;
      const int None = withoutThread(*Block, Handle);
      for (unsigned I = 0; I < Block->getTerminator()->getNumSuccessors(); ++I)
        if (const BasicBlock *Next = Block->getTerminator()->getSuccessor(I);
            int(I) != None && L.contains(Next)) {
          if (Next == L.getHeader())
            return true;
          Work.push_back(Next);
        }
    }
    return false;
  }

  const Loop &L;
  const DataLayout &Layout;
  const PHINode *At = nullptr;
  const Value *First = nullptr; ///< where At is an index: the element that it counts from, of so many bytes
  std::int64_t Size = 0;
};

} // namespace

std::vector<JoinedRange> findJoinedRanges(const LoopInfo &Loops, const DataLayout &Layout) {
  std::vector<JoinedRange> All;
  for (const Loop *L : const_cast<LoopInfo &>(Loops).getLoopsInPreorder()) {
    Rounds Of(*L, Layout);
    std::optional<JoinedRange> Range = Of.range();
    if (!Range)
      continue;
    for (std::int64_t Handle : Of.joined()) {
      Range->Handle = Handle;
      Range->Destroys = Of.destroysVector();
      All.push_back(*Range);
    }
  }
  std::erase_if(All, [Whole = All](const JoinedRange &R) {
    return none_of(Whole, [&](const JoinedRange &W) { return W.Destroys && W.isOf(R); });
  });
  return All;
}

} // namespace rdma::clang_ir

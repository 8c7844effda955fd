#include "analyzer/clang/translate/JoinedArrays.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/JoinedRanges.h"
#include "analyzer/clang/translate/Polls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// The header goes on while an index that counts from 0 by 1 is below the bound.
struct CountedRounds {
  const PHINode *Index;
  const Value *Bound;
  bool IsSigned;
};
constexpr unsigned Out = 1; ///< the successor of their header that leaves them

std::optional<CountedRounds> countedRounds(const Loop &L) {
  auto *Branch = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
  auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Test || !L.getLoopLatch() || !L.getLoopPredecessor() ||
      (Test->getPredicate() != CmpInst::ICMP_SLT && Test->getPredicate() != CmpInst::ICMP_ULT))
    return std::nullopt;
  auto *Index = dyn_cast<PHINode>(Test->getOperand(0));
  if (!Index || Index->getParent() != L.getHeader() || !L.contains(Branch->getSuccessor(0)) ||
      L.contains(Branch->getSuccessor(Out)) || !L.isLoopInvariant(Test->getOperand(1)) ||
      !match(Index->getIncomingValueForBlock(L.getLoopPredecessor()), m_Zero()) ||
      !match(Index->getIncomingValueForBlock(L.getLoopLatch()), m_Add(m_Specific(Index), m_One())))
    return std::nullopt;
  return CountedRounds{Index, Test->getOperand(1), Test->isSigned()};
}

/// The array whose element with this index is at the address.
const Value *arrayOf(const Value *Address, const PHINode &Index, const DataLayout &Layout) {
  auto *Element = dyn_cast<GetElementPtrInst>(Address);
  if (!Element || Layout.getTypeAllocSize(Element->getResultElementType()) != std::uint64_t(HandleSize))
    return nullptr;
  for (auto Other = Element->idx_begin(); Other + 1 != Element->idx_end(); ++Other)
    if (!match(Other->get(), m_Zero()))
      return nullptr;
  const Value *Last = (Element->idx_end() - 1)->get();
  return match(Last, m_CombineOr(m_Specific(&Index), m_SExtOrSelf(m_Specific(&Index)))) ||
                 match(Last, m_ZExt(m_Specific(&Index)))
             ? Element->getPointerOperand()
             : nullptr;
}

const CallBase *joinIn(const BasicBlock &Block) {
  for (const Instruction &I : Block) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
    if (Row && Row->What == Api::JoinPthread)
      return Call;
  }
  return nullptr;
}

/// The array of which each round joins the element; null: of none, or a round may pass without.
const Value *joinedInEachRound(const Loop &L, const PHINode &Index, const DataLayout &Layout) {
  const Value *Array = nullptr;
  bool Others = false;
  const bool MayPass = mayPassRound(L, [&](const BasicBlock &Block) {
    const CallBase *Join = joinIn(Block);
    if (!Join)
      return NoWay;
    auto *Handle = dyn_cast<LoadInst>(Join->getArgOperand(0));
    const Value *Of = Handle ? arrayOf(Handle->getPointerOperand(), Index, Layout) : nullptr;
    Others |= !Of || (Array && Array != Of);
    Array = Of;
    if (Join->use_empty())
      return EachWay;
    // Where it is seen to have failed it has not waited.
    const int Waited = successorOnZero(Join);
    return Waited >= 0 ? Waited : NoWay;
  });
  return MayPass || Others ? nullptr : Array;
}

/// How far the loop has come, as it is known behind it.
bool isHowFar(const Value *Bound, const PHINode &Index) {
  auto *Behind = dyn_cast<PHINode>(Bound);
  return Bound == &Index ||
         (Behind && Behind->getNumIncomingValues() == 1 && Behind->getIncomingValue(0) == &Index);
}

/// May the loop be left in a round that has started its thread? Then it has come further than the index says.
bool mayLeaveBehind(const CallBase &Start, const Loop &L) {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  SmallVector<const BasicBlock *, 8> Work;
  const int Started = successorOnZero(&Start);
  const Instruction &Tested = *Start.getParent()->getTerminator();
  for (unsigned I = 0; I < Tested.getNumSuccessors(); ++I)
    if (Started < 0 || int(I) == Started)
      Work.push_back(Tested.getSuccessor(I));
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!L.contains(Block))
      return true;
    if (Block != L.getHeader() && Seen.insert(Block).second)
      append_range(Work, successors(Block));
  }
  return false;
}

} // namespace

std::vector<JoinedArray> findJoinedArrays(const LoopInfo &Loops, const DataLayout &Layout) {
  std::vector<JoinedArray> All;
  for (const Loop *L : const_cast<LoopInfo &>(Loops).getLoopsInPreorder())
    if (std::optional<CountedRounds> Rounds = countedRounds(*L))
      if (const Value *Array = joinedInEachRound(*L, *Rounds->Index, Layout))
        All.push_back({L, Array, Rounds->Bound, Rounds->IsSigned, Out});
  return All;
}

bool startsWithin(const CallBase &Start, const JoinedArray &Joined, const LoopInfo &Loops,
                  const DataLayout &Layout) {
  const Loop *L = Loops.getLoopFor(Start.getParent());
  std::optional<CountedRounds> Rounds = L ? countedRounds(*L) : std::nullopt;
  const ApiRow *Row = rowOf(Start);
  return Rounds && L->getParentLoop() == Joined.Rounds->getParentLoop() && Row &&
         Row->What == Api::SpawnPthread && Rounds->IsSigned == Joined.IsSigned &&
         arrayOf(Start.getArgOperand(0), *Rounds->Index, Layout) == Joined.Array &&
         L->isLoopInvariant(Joined.Array) && Joined.Rounds->isLoopInvariant(Joined.Array) &&
         (Rounds->Bound == Joined.Bound ||
          (isHowFar(Joined.Bound, *Rounds->Index) && !mayLeaveBehind(Start, *L)));
}

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/Renewed.h"

#include "analyzer/clang/translate/Tested.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr unsigned MostSteps = 8;

/// A number as what has become of another one: numbers that differ in their lowest bits, so many of them,
/// have become ones that differ.
struct Made {
  const PHINode *From;
  unsigned Bits;
};

/// Out of a number at the header of a loop, by steps that keep numbers apart.
std::optional<Made> madeOf(const Value *V, unsigned Depth = 0) {
  if (!V->getType()->isIntegerTy() || Depth > MostSteps)
    return std::nullopt;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return Made{Phi, Phi->getType()->getIntegerBitWidth()};
  const Value *In;
  const APInt *Number;
  unsigned Kept = V->getType()->getIntegerBitWidth();
  if (match(V, m_And(m_Value(In), m_APInt(Number))) && Number->isMask())
    Kept = Number->countr_one();
  else if (!match(V, m_Add(m_Value(In), m_APInt(Number))) && !match(V, m_Sub(m_Value(In), m_APInt(Number))) &&
           !match(V, m_Xor(m_Value(In), m_APInt(Number))) && !match(V, m_ZExtOrSExt(m_Value(In))) &&
           !match(V, m_Trunc(m_Value(In))) && !match(V, m_Freeze(m_Value(In))))
    return std::nullopt;
  std::optional<Made> Found = madeOf(In, Depth + 1);
  if (Found)
    Found->Bits = std::min(Found->Bits, Kept);
  return Found;
}

/// What V is where the number that it is made of is this one; null where that is no number (poison).
Constant *valueOf(Value *V, Constant *Start, const DataLayout &Layout) {
  if (isa<PHINode>(V))
    return Start;
  auto *I = cast<Instruction>(V);
  SmallVector<Constant *, 2> Operands;
  for (Value *Operand : I->operands()) {
    auto *Known = dyn_cast<Constant>(Operand);
    Operands.push_back(Known ? Known : valueOf(Operand, Start, Layout));
    if (!Operands.back())
      return nullptr;
  }
  return dyn_cast_or_null<ConstantInt>(ConstantFoldInstOperands(I, Operands, Layout));
}

/// Is it, on each way, the number with something else added, or with other bits, in the lowest bits?
bool isStepped(const Value *V, const PHINode &Of, unsigned Bits, APInt Sum, unsigned Depth = 0) {
  const Value *In, *Other;
  const APInt *Number;
  if (V == &Of)
    return !Sum.trunc(Bits).isZero();
  if (Depth > MostSteps)
    return false;
  if (match(V, m_Add(m_Value(In), m_APInt(Number))))
    return isStepped(In, Of, Bits, Sum + *Number, Depth + 1);
  if (match(V, m_Sub(m_Value(In), m_APInt(Number))))
    return isStepped(In, Of, Bits, Sum - *Number, Depth + 1);
  if (match(V, m_Xor(m_Specific(&Of), m_APInt(Number))))
    return Sum.isZero() && !Number->trunc(Bits).isZero();
  if (match(V, m_Select(m_Value(), m_Value(In), m_Value(Other))))
    return isStepped(In, Of, Bits, Sum, Depth + 1) && isStepped(Other, Of, Bits, Sum, Depth + 1);
  auto *Joined = dyn_cast<PHINode>(V);
  return Joined && all_of(Joined->incoming_values(),
                          [&](const Use &Arm) { return isStepped(Arm, Of, Bits, Sum, Depth + 1); });
}

/// The only way into the loop is taken once, and behind the edge control comes by once in each round.
bool isOnceARound(const Loop &L, const BasicBlockEdge &Edge, const LoopInfo &Loops,
                  const DominatorTree &Tree) {
  if (Loops.getLoopFor(Edge.getEnd()) != &L)
    return false;
  SmallVector<BasicBlock *, 4> Latches, Exits;
  L.getLoopLatches(Latches);
  L.getExitBlocks(Exits);
  return all_of(Latches, [&](const BasicBlock *Latch) { return Tree.dominates(Edge, Latch); }) &&
         none_of(Exits, [&](const BasicBlock *Exit) {
           return isPotentiallyReachable(Exit, L.getHeader(), nullptr, &Tree, &Loops);
         });
}

} // namespace

std::optional<Renewal> renewalAtEnd(const LoadInst &Load, const LoopInfo &Loops, const DominatorTree &Tree) {
  const BasicBlock &Block = *Load.getParent();
  auto *Compare = dyn_cast_or_null<ICmpInst>(testedAtEnd(Block));
  if (!Compare || !Compare->isEquality())
    return std::nullopt;
  const unsigned Mine = match(Compare->getOperand(0), m_ZExtOrSExtOrSelf(m_Specific(&Load))) ? 0 : 1;
  if (!match(Compare->getOperand(Mine), m_ZExtOrSExtOrSelf(m_Specific(&Load))))
    return std::nullopt;
  Value *Awaited = Compare->getOperand(1 - Mine);
  const std::optional<Made> Number = madeOf(Awaited);
  const Loop *L = Number ? Loops.getLoopFor(Number->From->getParent()) : nullptr;
  if (!L || L->getHeader() != Number->From->getParent())
    return std::nullopt;
  const unsigned OnEqual = Compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
  if (!isOnceARound(*L, {&Block, Block.getTerminator()->getSuccessor(OnEqual)}, Loops, Tree))
    return std::nullopt;
  const PHINode &Phi = *Number->From;
  // Two ways into the loop could begin it with two numbers, of which one may be the other one's next.
  const BasicBlock *Before = L->getLoopPredecessor();
  const APInt Unchanged = APInt::getZero(Phi.getType()->getIntegerBitWidth());
  for (const BasicBlock *From : Phi.blocks())
    if (!Before ||
        (From != Before && !isStepped(Phi.getIncomingValueForBlock(From), Phi, Number->Bits, Unchanged)))
      return std::nullopt;
  Renewal Found{std::nullopt, OnEqual};
  if (auto *Start = dyn_cast<ConstantInt>(Phi.getIncomingValueForBlock(Before)))
    if (auto *First = cast_or_null<ConstantInt>(valueOf(Awaited, Start, Load.getDataLayout()));
        First && Load.getType()->getIntegerBitWidth() <= 64)
      Found.First = First->getValue().sextOrTrunc(Load.getType()->getIntegerBitWidth()).getSExtValue();
  return Found;
}

} // namespace rdma::clang_ir

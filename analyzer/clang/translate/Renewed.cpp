#include "analyzer/clang/translate/Renewed.h"

#include "analyzer/clang/translate/Tested.h"

#include <llvm/Analysis/CFG.h>
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

/// What V is where the number that it is made of is this one.
APInt valueOf(const Value *V, const APInt &Start) {
  if (isa<PHINode>(V))
    return Start;
  auto *I = cast<Instruction>(V);
  const APInt In = valueOf(I->getOperand(0), Start);
  const unsigned Width = V->getType()->getIntegerBitWidth();
  const APInt *Number;
  switch (I->getOpcode()) {
  case Instruction::Add:
    return match(V, m_Add(m_Value(), m_APInt(Number))) ? In + *Number : In;
  case Instruction::Sub:
    return match(V, m_Sub(m_Value(), m_APInt(Number))) ? In - *Number : In;
  case Instruction::Xor:
    return match(V, m_Xor(m_Value(), m_APInt(Number))) ? In ^ *Number : In;
  case Instruction::And:
    return match(V, m_And(m_Value(), m_APInt(Number))) ? In & *Number : In;
  case Instruction::SExt:
    return In.sext(Width);
  case Instruction::ZExt:
  case Instruction::Trunc:
    return In.zextOrTrunc(Width);
  default: // freeze
    return In;
  }
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
  const Value *Awaited = Compare->getOperand(1 - Mine);
  const std::optional<Made> Number = madeOf(Awaited);
  const Loop *L = Number ? Loops.getLoopFor(Number->From->getParent()) : nullptr;
  if (!L || L->getHeader() != Number->From->getParent())
    return std::nullopt;
  const unsigned OnEqual = Compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
  if (!isOnceARound(*L, {&Block, Block.getTerminator()->getSuccessor(OnEqual)}, Loops, Tree))
    return std::nullopt;
  const PHINode &Phi = *Number->From;
  Renewal Found{std::nullopt, OnEqual};
  bool OneStart = true;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    const Value *Arm = Phi.getIncomingValue(I);
    if (L->contains(Phi.getIncomingBlock(I))) {
      if (!isStepped(Arm, Phi, Number->Bits, APInt::getZero(Phi.getType()->getIntegerBitWidth())))
        return std::nullopt;
      continue;
    }
    auto *Start = dyn_cast<ConstantInt>(Arm);
    OneStart = Start && !Found.First;
    if (OneStart && Load.getType()->getIntegerBitWidth() <= 64)
      Found.First = valueOf(Awaited, Start->getValue())
                        .sextOrTrunc(Load.getType()->getIntegerBitWidth())
                        .getSExtValue();
  }
  if (!OneStart)
    Found.First.reset();
  return Found;
}

} // namespace rdma::clang_ir

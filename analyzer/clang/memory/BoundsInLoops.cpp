// How far loops lead a number.
#include "analyzer/clang/memory/Bounds.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostRounds = 64;

/// Does it go on to where its width ends?
bool isOpen(const StridedInterval &I) {
  const StridedInterval All = StridedInterval::any(I.bits());
  return !I.isNone() && (I.least() == All.least() || I.most() > All.most() - LargestIndex);
}

/// What is counted in the first rounds of a loop.
StridedInterval counted(const SCEVAddRecExpr &Counted, std::uint64_t Rounds, const StridedInterval &Now) {
  auto *First = dyn_cast<SCEVConstant>(Counted.getStart());
  auto *Step = dyn_cast<SCEVConstant>(Counted.getOperand(1));
  if (!First || !Step || First->getAPInt().getSignificantBits() > 32 ||
      Step->getAPInt().getSignificantBits() > 32)
    return Now;
  const std::int64_t Begin = First->getAPInt().getSExtValue();
  const std::int64_t End = Begin + Step->getAPInt().getSExtValue() * static_cast<std::int64_t>(Rounds - 1);
  return Now.within(StridedInterval::between(Now.bits(), std::min(Begin, End), std::max(Begin, End)).range());
}

} // namespace

/// Where ways meet: what it may be on any. Around a loop, what it was before goes into it.
StridedInterval Bounds::merged(const PHINode &Phi) {
  auto step = [&] {
    StridedInterval All = StridedInterval::none(bitsOf(Phi));
    for (unsigned Way = 0; Way < Phi.getNumIncomingValues(); ++Way)
      All = All.joined(elsewhere({Phi.getIncomingBlock(Way)->getTerminator(), Phi.getParent()},
                                 [&] { return of(*Phi.getIncomingValue(Way)); }));
    return All;
  };
  if (Facts.Loops.isLoopHeader(Phi.getParent()))
    return solved(Phi, step);
  // Of a loop with two entries nothing is known.
  const auto [Found, New] = Merged.try_emplace(&Phi, StridedInterval::any(bitsOf(Phi)));
  if (!New)
    return Found->second;
  const StridedInterval All = step();
  return Merged.insert_or_assign(&Phi, All).first->second;
}

/// What no step leads out of: found from nothing on, up to the numbers that tests stop it at. Where those let
/// it go on and on, and a loop makes few rounds: as far as so many steps lead.
StridedInterval Bounds::solved(const Instruction &Key, function_ref<StridedInterval()> Step) {
  constexpr unsigned Some = 256;
  std::vector<StridedInterval> After;
  auto follow = [&](unsigned Exactly, unsigned Most) {
    StridedInterval Now = StridedInterval::none(bitsOf(Key));
    for (unsigned Round = 0; Round < Most; ++Round) {
      Open.insert_or_assign(&Key, Now);
      Merged.clear();
      const StridedInterval Next = Now.joined(Step());
      if (Next == Now)
        return Now;
      Now = Round < Exactly ? Next : widened(Now, Next);
      After.push_back(Now);
    }
    return Exactly == Most ? Now : StridedInterval::any(Now.bits());
  };
  AfterRounds.erase(&Key);
  StridedInterval Found = follow(2, MostRounds);
  const Loop *L = isa<PHINode>(Key) ? Facts.Loops.getLoopFor(Key.getParent()) : nullptr;
  const unsigned Rounds =
      L && L->getHeader() == Key.getParent() ? Facts.Evolution.getSmallConstantMaxTripCount(L) : 0;
  if (isOpen(Found) && Rounds > 0 && Rounds <= Some) {
    After.clear();
    Found = follow(Rounds, Rounds);
    AfterRounds[&Key] = std::move(After);
  }
  Open.erase(&Key);
  Merged.clear();
  // What other loops' numbers that are not final went into is no final one.
  if (Open.empty())
    Known.insert_or_assign(&Key, Found);
  return Found;
}

/// In a loop, behind an end of it that is taken in a round that is known: in the rounds before that one.
StridedInterval Bounds::inRounds(const Value &V, StridedInterval Now) {
  const BasicBlock *Block = Here.At->getParent();
  const SCEV *Evolved = Facts.Evolution.getSCEV(const_cast<Value *>(&V));
  auto *Counted = dyn_cast<SCEVAddRecExpr>(Evolved);
  auto *Key = dyn_cast<PHINode>(&V);
  const auto Each = Key ? AfterRounds.find(Key) : AfterRounds.end();
  const Loop *L = Counted                     ? Counted->getLoop()
                  : Each != AfterRounds.end() ? Facts.Loops.getLoopFor(Key->getParent())
                                              : nullptr;
  if (!L || !L->contains(Block) || (Counted && !Counted->isAffine()))
    return Now;
  SmallVector<BasicBlock *, 4> Ends;
  L->getExitingBlocks(Ends);
  for (const BasicBlock *End : Ends) {
    auto *Passed = dyn_cast<SCEVConstant>(Facts.Evolution.getExitCount(L, End));
    const bool IsBehind = any_of(successors(End), [&](const BasicBlock *Next) {
      return L->contains(Next) &&
             (Facts.Tree.dominates(BasicBlockEdge(End, Next), Block) || (End == Block && Next == Here.Into));
    });
    if (!Passed || !IsBehind || Passed->getAPInt().ugt(LargestIndex))
      continue;
    const std::uint64_t Rounds = Passed->getAPInt().getZExtValue();
    if (Each != AfterRounds.end() && Rounds > 0 && Rounds <= Each->second.size())
      Now = Now.within(Each->second[Rounds - 1].range());
    if (Counted && Rounds > 0)
      Now = counted(*Counted, Rounds, Now);
  }
  return Now;
}

/// As far as the next number at which a test may stop it, or as far as it can.
StridedInterval Bounds::widened(const StridedInterval &Now, const StridedInterval &Next) const {
  const StridedInterval All = StridedInterval::any(Now.bits());
  std::int64_t Least = Next.least(), Most = Next.most();
  if (Most > Now.most()) {
    auto End = Ends.lower_bound(Most);
    Most = End == Ends.end() ? All.most() : std::min(*End, All.most());
  }
  if (Least < Now.least()) {
    auto End = Ends.upper_bound(Least);
    Least = End == Ends.begin() ? All.least() : std::max(*std::prev(End), All.least());
  }
  return Next.spreadTo(Least, Most);
}

} // namespace rdma::clang_ir

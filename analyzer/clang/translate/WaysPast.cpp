#include "analyzer/clang/translate/WaysPast.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Blocks = df_iterator_default_set<const BasicBlock *, 32>;
/// A block by its place in the function.
using Number = unsigned;

/// Goes to the end; what was passed is kept outside.
template <typename Range> void exhaust(Range Walk) {
  for ([[maybe_unused]] const BasicBlock *Block : Walk)
    continue;
}

const Value *plain(const Value *V) {
  for (;;) {
    if (isa<CastInst>(V) || isa<FreezeInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    else if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getNumIncomingValues() == 1)
      V = Phi->getIncomingValue(0);
    else
      return V;
  }
}

class Search {
public:
  Search(const CallBase &Poll, const LoopInfo &Loops, const std::function<bool(const CallBase &)> &Known)
      : Poll(Poll), Loops(Loops), Known(Known) {}

  std::vector<Edge> run() {
    const BasicBlock *Here = Poll.getParent();
    for (const BasicBlock &Block : *Poll.getFunction()) {
      Numbers[&Block] = All.size();
      All.push_back(&Block);
      if (isa<ReturnInst>(Block.getTerminator()))
        exhaust(inverse_depth_first_ext(&Block, Returns));
    }
    exhaust(depth_first_ext(Here, Behind));
    exhaust(inverse_depth_first_ext(Here, Before));
    keepWays();
    std::vector<Number> Deciding{Numbers[Here]};
    BitVector Seen(All.size());
    Seen.set(Deciding.front());
    for (std::size_t I = 0; I < Deciding.size() && I < MostBlocks; ++I)
      decide(Deciding[I], Seen, Deciding);
    return {Found.begin(), Found.end()};
  }

private:
  static constexpr std::size_t MostBlocks = 64;

  /// The ways that are not dropped, and where they part before the poll.
  void keepWays() {
    Kept.resize(All.size());
    KeptInto.resize(All.size());
    for (Number B = 0; B < All.size(); ++B) {
      for (const BasicBlock *Next : successors(All[B]))
        if (!isDropped(All[B], Next)) {
          Kept[B].push_back(Numbers[Next]);
          KeptInto[Numbers[Next]].push_back(B);
        }
      if (Kept[B].size() > 1 && Before.contains(All[B]))
        Parting.push_back(B);
    }
  }

  bool isResult(const Value *Condition, unsigned Depth = 0) const {
    using namespace PatternMatch;
    const Value *A, *B;
    if (Depth < 6 && (match(Condition, m_LogicalAnd(m_Value(A), m_Value(B))) ||
                      match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))))
      return isResult(A, Depth + 1) && isResult(B, Depth + 1);
    auto *Compare = dyn_cast<ICmpInst>(plain(Condition));
    for (const Value *V :
         {Compare ? Compare->getOperand(0) : Condition, Compare ? Compare->getOperand(1) : Condition})
      if (auto *Call = dyn_cast<CallBase>(plain(V)); Call && Known(*Call))
        return true;
    return false;
  }

  /// The condition is the result of a post or a poll.
  bool isFollowed(const BasicBlock &Block) const {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (Branch && Branch->isConditional())
      return isResult(Branch->getCondition());
    auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
    return Switch && isResult(Switch->getCondition());
  }

  /// Errors, and other ways out of what comes before the poll that do not come back to where it leads.
  bool isDropped(const BasicBlock *From, const BasicBlock *To) const {
    bool Leaves = Before.contains(From) && !Before.contains(To);
    return !Returns.contains(To) || (Leaves && (!Behind.contains(To) || isFollowed(*From)));
  }

  /// Blocks from which this round can end, or the thread, without passing the block.
  BitVector around(Number Without) const {
    BitVector Around(All.size());
    std::vector<Number> Work;
    auto reach = [&](Number B) {
      if (B != Without && !Around.test(B)) {
        Around.set(B);
        Work.push_back(B);
      }
    };
    for (Number B = 0; B < All.size(); ++B)
      if (isa<ReturnInst>(All[B]->getTerminator()))
        reach(B);
    for (const Loop *L = Loops.getLoopFor(All[Without]); L; L = L->getParentLoop()) {
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      for (const BasicBlock *Latch : Latches)
        reach(Numbers.lookup(Latch));
    }
    while (!Work.empty()) {
      Number B = Work.back();
      Work.pop_back();
      for (Number Earlier : KeptInto[B])
        reach(Earlier);
    }
    return Around;
  }

  void decide(Number Block, BitVector &Seen, std::vector<Number> &Deciding) {
    BitVector Around = around(Block);
    for (Number B : Parting) {
      auto passes = [&](Number Next) { return Around.test(Next); };
      if (all_of(Kept[B], passes) || none_of(Kept[B], passes))
        continue;
      if (!Seen.test(B)) {
        Seen.set(B);
        Deciding.push_back(B);
      }
      if (isFollowed(*All[B]))
        continue;
      const Instruction *End = All[B]->getTerminator();
      for (unsigned E = 0; E < End->getNumSuccessors(); ++E)
        if (passes(Numbers.lookup(End->getSuccessor(E))))
          Found.insert({All[B], E});
    }
  }

  const CallBase &Poll;
  const LoopInfo &Loops;
  const std::function<bool(const CallBase &)> &Known;
  std::vector<const BasicBlock *> All;
  DenseMap<const BasicBlock *, Number> Numbers;
  Blocks Returns, ///< can reach a return
      Behind,     ///< can come after the poll
      Before;     ///< can reach it
  std::vector<SmallVector<Number, 2>> Kept, KeptInto;
  std::vector<Number> Parting;
  std::set<Edge> Found;
};

bool onlyDecides(const Value *Test, unsigned Depth) {
  return Depth < 6 && all_of(
                          Test->users(),
                          [&](const User *U) {
                            if (isa<BranchInst>(U))
                              return true;
                            auto *I = dyn_cast<Instruction>(U);
                            bool Joins = I && I->getType()->isIntegerTy(1) &&
                                         (isa<BinaryOperator>(I) || isa<SelectInst>(I));
                            return Joins && onlyDecides(I, Depth + 1);
                          });
}

bool comparedOnly(const Value *Result, unsigned Depth) {
  return Depth < 6 &&
         all_of(
             Result->users(),
             [&](const User *U) {
               if (isa<CastInst>(U) || isa<FreezeInst>(U) || (isa<PHINode>(U) && U->getNumOperands() == 1))
                 return comparedOnly(U, Depth + 1);
               if (isa<SwitchInst>(U))
                 return true;
               auto *Compare = dyn_cast<ICmpInst>(U);
               return Compare &&
                      (isa<ConstantInt>(Compare->getOperand(0)) ||
                       isa<ConstantInt>(Compare->getOperand(1))) &&
                      onlyDecides(Compare, Depth + 1);
             });
}

/// Is it computed from what memory holds?
bool readsMemory(const Value &Condition) {
  std::vector<const Value *> Work{&Condition};
  std::set<const Value *> Seen(Work.begin(), Work.end());
  while (!Work.empty() && Seen.size() < 32) {
    const Value *V = Work.back();
    Work.pop_back();
    if (isa<LoadInst>(V))
      return true;
    auto *I = dyn_cast<Instruction>(V);
    if (I && !isa<CallBase>(I))
      for (const Use &Operand : I->operands())
        if (Seen.insert(Operand.get()).second)
          Work.push_back(Operand.get());
  }
  return false;
}

} // namespace

std::optional<Edge> wayWithoutRound(const CallBase &Call, const LoopInfo &Loops) {
  const Loop *L = Loops.getLoopFor(Call.getParent());
  const BasicBlock *First = L ? L->getHeader() : nullptr;
  auto *Branch = First && L->isLoopExiting(First) && First != Call.getParent()
                     ? dyn_cast<BranchInst>(First->getTerminator())
                     : nullptr;
  if (!Branch || !readsMemory(*Branch->getCondition()))
    return std::nullopt;
  return Edge{First, L->contains(Branch->getSuccessor(0)) ? 1u : 0u};
}

std::vector<Edge> waysPast(const CallBase &Poll, const LoopInfo &Loops,
                           const std::function<bool(const CallBase &)> &PostsOrPolls) {
  return Search(Poll, Loops, PostsOrPolls).run();
}

bool onlyCompared(const CallBase &Poll) { return comparedOnly(&Poll, 0); }

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/WaysPast.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Blocks = std::set<const BasicBlock *>;

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
    const Function &F = *Poll.getFunction();
    for (const BasicBlock &Block : F)
      if (isa<ReturnInst>(Block.getTerminator()))
        closeBackwards(&Block, Returns);
    Behind.insert(Poll.getParent());
    std::vector<const BasicBlock *> Work{Poll.getParent()};
    while (!Work.empty()) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      for (const BasicBlock *Next : successors(Block))
        if (Behind.insert(Next).second)
          Work.push_back(Next);
    }
    closeBackwards(Poll.getParent(), Before);
    std::vector<const BasicBlock *> Deciding{Poll.getParent()};
    Blocks Seen{Poll.getParent()};
    for (std::size_t I = 0; I < Deciding.size() && I < MostBlocks; ++I)
      decide(*Deciding[I], Seen, Deciding);
    return {Found.begin(), Found.end()};
  }

private:
  static constexpr std::size_t MostBlocks = 64;

  static void closeBackwards(const BasicBlock *From, Blocks &All) {
    std::vector<const BasicBlock *> Work{From};
    All.insert(From);
    while (!Work.empty()) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      for (const BasicBlock *Earlier : predecessors(Block))
        if (All.insert(Earlier).second)
          Work.push_back(Earlier);
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

  /// Errors, and other ways that do not come back to where the poll leads.
  bool isDropped(const BasicBlock *From, const BasicBlock *To) const {
    return !Returns.count(To) || (!Before.count(To) && (!Behind.count(To) || isFollowed(*From)));
  }

  /// Blocks from which this round can end, or the thread, without passing the block.
  Blocks around(const BasicBlock &Block) const {
    Blocks All;
    std::vector<const BasicBlock *> Work;
    auto reach = [&](const BasicBlock *B) {
      if (B != &Block && All.insert(B).second)
        Work.push_back(B);
    };
    for (const BasicBlock &B : *Block.getParent())
      if (isa<ReturnInst>(B.getTerminator()))
        reach(&B);
    for (const Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop()) {
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      for (const BasicBlock *Latch : Latches)
        reach(Latch);
    }
    while (!Work.empty()) {
      const BasicBlock *B = Work.back();
      Work.pop_back();
      for (const BasicBlock *Earlier : predecessors(B))
        if (!isDropped(Earlier, B))
          reach(Earlier);
    }
    return All;
  }

  void decide(const BasicBlock &Block, Blocks &Seen, std::vector<const BasicBlock *> &Deciding) {
    Blocks Around = around(Block);
    for (const BasicBlock *B : Before) {
      const Instruction *End = B->getTerminator();
      if (End->getNumSuccessors() < 2)
        continue;
      bool Leads = false, Passes = false;
      for (const BasicBlock *Next : successors(B))
        if (!isDropped(B, Next))
          (Around.count(Next) ? Passes : Leads) = true;
      if (!Leads || !Passes)
        continue;
      if (Seen.insert(B).second)
        Deciding.push_back(B);
      if (isFollowed(*B))
        continue;
      for (unsigned E = 0; E < End->getNumSuccessors(); ++E)
        if (Around.count(End->getSuccessor(E)))
          Found.insert({B, E});
    }
  }

  const CallBase &Poll;
  const LoopInfo &Loops;
  const std::function<bool(const CallBase &)> &Known;
  Blocks Returns, ///< can reach a return
      Behind,     ///< can come after the poll
      Before;     ///< can reach it
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

} // namespace

std::vector<Edge> waysPast(const CallBase &Poll, const LoopInfo &Loops,
                           const std::function<bool(const CallBase &)> &PostsOrPolls) {
  return Search(Poll, Loops, PostsOrPolls).run();
}

bool onlyCompared(const CallBase &Poll) { return comparedOnly(&Poll, 0); }

} // namespace rdma::clang_ir

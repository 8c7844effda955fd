// Loops that do something else in their last round, such as to ask for a completion.
#include "analyzer/clang/counts/Facts.h"

namespace rdma::clang_ir {

using namespace llvm;

/// Does something in the loop, beside what ends it, compare with what it counts up to, or one less?
static bool asksForLast(const Loop &L, const ICmpInst &End) {
  const Value *Limit = plain(End.getOperand(1));
  auto *Number = dyn_cast<ConstantInt>(Limit);
  auto isLimit = [&](const Value *V) {
    auto *Other = dyn_cast<ConstantInt>(V);
    if (!Number || !Other)
      return plain(V) == Limit;
    return Number->getType() == Other->getType() &&
           (Number->getValue() == Other->getValue() || Number->getValue() == Other->getValue() + 1);
  };
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      auto *Compare = dyn_cast<ICmpInst>(&I);
      return Compare && Compare != &End && any_of(Compare->operand_values(), isLimit);
    });
  });
}

/// Has the loop come to its end, where it decides before each round, and asks for completions of some of the
/// requests that it posts only, as of the last?
std::optional<Invariants::Case> Invariants::lastRound(const Place &P) const {
  const Loop *L = P.Where ? S.T.Loops.getLoopFor(P.Where) : nullptr;
  auto asksAtTimes = [&](const PostSite &Post) {
    return L->contains(Post.Call) && !Post.SignalsAll &&
           any_of(Post.Requests, [](const PostSite::Request &R) { return !R.Signaled; });
  };
  auto *Branch =
      L && any_of(S.T.Posts, asksAtTimes) ? dyn_cast<BranchInst>(P.Where->getTerminator()) : nullptr;
  auto *Compare = Branch && Branch->isConditional() && L->isLoopExiting(P.Where)
                      ? dyn_cast<ICmpInst>(Branch->getCondition())
                      : nullptr;
  if (!Compare || !asksForLast(*L, *Compare))
    return std::nullopt;
  const std::vector<Term> &Terms = P.Always[0].Terms;
  const int Index = termOf(Compare->getOperand(0), Terms), Limit = termOf(Compare->getOperand(1), Terms);
  auto *Number = dyn_cast<ConstantInt>(Compare->getOperand(1));
  if (Index < 0 || (Limit < 0 && (!Number || Number->getBitWidth() > 64)))
    return std::nullopt;
  return Case{static_cast<unsigned>(Index), Limit, Number ? Number->getSExtValue() : 0, true};
}

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/Tested.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

std::optional<Tested> testedAtEnd(const BasicBlock &Block) {
  auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  Tested Found{Branch->getCondition(), 0};
  const Value *Negated;
  while (match(Found.What, m_Not(m_Value(Negated))))
    Found = {Negated, 1 - Found.OnTrue};
  return Found;
}

std::optional<TestedNumber> testedNumberAtEnd(const BasicBlock &Block) {
  const auto End = testedAtEnd(Block);
  auto *Compare = End ? dyn_cast<ICmpInst>(End->What) : nullptr;
  auto *With = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!With || !Compare->isEquality())
    return std::nullopt;
  const bool Equal = Compare->getPredicate() == ICmpInst::ICMP_EQ;
  return TestedNumber{Compare->getOperand(0), With, Equal ? End->OnTrue : 1 - End->OnTrue};
}

} // namespace rdma::clang_ir

#include "analyzer/clang/translate/Tested.h"

#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

const Value *testedAtEnd(const BasicBlock &Block) {
  auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  const bool Two = Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1);
  return Two ? Branch->getCondition() : nullptr;
}

std::optional<TestedNumber> testedNumberAtEnd(const BasicBlock &Block) {
  auto *Compare = dyn_cast_or_null<ICmpInst>(testedAtEnd(Block));
  auto *With = Compare ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
  if (!With || !Compare->isEquality())
    return std::nullopt;
  return TestedNumber{Compare->getOperand(0), With, Compare->getPredicate() == ICmpInst::ICMP_EQ ? 0u : 1u};
}

} // namespace rdma::clang_ir

// What decides which way a block goes on.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace rdma::clang_ir {

struct Tested {
  const llvm::Value *What; ///< no negation
  unsigned OnTrue;         ///< the successor where it holds
};

/// Of a block that ends with a branch to two places.
inline std::optional<Tested> testedAtEnd(const llvm::BasicBlock &Block) {
  auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Block.getTerminator());
  if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  Tested Found{Branch->getCondition(), 0};
  llvm::Value *Negated;
  while (
      llvm::PatternMatch::match(Found.What, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(Negated))))
    Found = {Negated, 1 - Found.OnTrue};
  return Found;
}

} // namespace rdma::clang_ir

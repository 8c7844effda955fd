// What decides which way a block goes on.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>

#include <optional>

namespace rdma::clang_ir {

/// What a block that ends with a branch to two places tests: it goes to the first of them where this holds.
/// Null for other blocks.
const llvm::Value *testedAtEnd(const llvm::BasicBlock &Block);

struct TestedNumber {
  const llvm::Value *What;
  const llvm::ConstantInt *With;
  unsigned OnEqual; ///< the successor where it is this number; on the other it is not
};
/// Of a block that ends so by a comparison for equality.
std::optional<TestedNumber> testedNumberAtEnd(const llvm::BasicBlock &Block);

} // namespace rdma::clang_ir

// Changes of a word that are one step, if they succeed, and no plain addition: of a semaphore, and of what
// was found there to a sum of that (std::counting_semaphore, credits taken by compare and exchange).
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace rdma::clang_ir {

struct WordStep {
  const llvm::Value *At;
  std::int64_t Size; ///< bytes
  const llvm::ConstantInt *By;
  bool Minus;
  bool Acquires, Releases; ///< where it succeeds
  bool Waits;              ///< until the word is not zero, or gives up: it succeeds where it returns 0
};

/// None: it is no such step, but it may change the word all the same.
std::optional<WordStep> wordStep(const llvm::Instruction &I);

/// sem_init: what the semaphore begins with; null: it is no such call.
const llvm::Value *semaphoreBegin(const llvm::Instruction &I);

/// A handler of a signal makes sem_wait fail.
bool mayBeInterrupted(const llvm::Module &M);

} // namespace rdma::clang_ir

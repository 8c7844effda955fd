// Loops that wait for a number which is another one in each round of the loop around them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

namespace rdma::clang_ir {

/// What is loaded is compared with a number that steps with the rounds of a loop, and in each round control
/// goes on once behind the comparison, where the two are equal.
struct Renewal {
  std::optional<std::int64_t> First; ///< the number in the first round, as wide as what is loaded
  unsigned OnEqual;                  ///< the successor of the load's block where they are equal
};
/// Of a load that is tested so at the end of its block.
std::optional<Renewal> renewalAtEnd(const llvm::LoadInst &Load, const llvm::LoopInfo &Loops,
                                    const llvm::DominatorTree &Tree);

} // namespace rdma::clang_ir

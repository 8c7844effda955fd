// Loops that join all threads of an array of pthread_t.
//
// One loop starts a thread for each index from 0 up to a bound, and keeps its number in the element; another
// joins what is in the elements, up to the same bound, or to how far the first loop has come.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

namespace rdma::clang_ir {

struct JoinedArray {
  const llvm::Loop *Rounds = nullptr;
  const llvm::Value *Array = nullptr, *Bound = nullptr;
  bool IsSigned = false; ///< how the index is held against the bound
  unsigned Exit = 0;     ///< the successor of the loop's header behind the last element
  const llvm::BasicBlock *header() const { return Rounds->getHeader(); }
};

std::vector<JoinedArray> findJoinedArrays(const llvm::LoopInfo &Loops, const llvm::DataLayout &Layout);

/// Does the call start a thread for elements that the loop joins, and no others?
bool startsWithin(const llvm::CallBase &Start, const JoinedArray &Joined, const llvm::LoopInfo &Loops,
                  const llvm::DataLayout &Layout);

} // namespace rdma::clang_ir

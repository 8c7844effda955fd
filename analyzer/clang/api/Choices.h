// Fields of a request that are chosen together: `tag == 1 ? WRITE to A : READ from B` is no WRITE to B.
#pragma once

#include "analyzer/clang/memory/MemoryReader.h"

#include <set>
#include <vector>

namespace rdma::clang_ir {

/// One of the outcomes of what chooses between the contents of fields.
struct Choice {
  /// The fields are stored in each of these blocks, and were last in this one.
  std::set<const llvm::BasicBlock *> Blocks = {};
  const llvm::BasicBlock *Last = nullptr;
  /// Or: what is stored in this block was chosen where these ways meet, and one was taken.
  const llvm::BasicBlock *StoredIn = nullptr, *Meeting = nullptr, *Taken = nullptr;
  /// This condition has chosen, which holds or does not. Every way from what it is computed of to the use of
  /// the request comes by the stores that it chooses for.
  const llvm::Value *Condition = nullptr;
  bool Holds = false;

  /// What a field may hold then. One that something else has chosen may hold what it may.
  Contents of(const Contents &Field, const Pointer &Place, Pointers &Where,
              const llvm::Instruction *Used) const;

private:
  Contents ofBlocks(const Contents &Field, const std::set<const llvm::BasicBlock *> &Some) const;
};

/// Between the contents of this field, where it is used; none: one of them is not seen to be chosen.
std::vector<Choice> choicesOf(const Contents &Field, const Pointer &Place, Pointers &Where,
                              const llvm::Instruction *Used);

} // namespace rdma::clang_ir

// Which counters have to do with some of what a thread posts and polls.
#pragma once

#include "analyzer/clang/counts/Cells.h"

namespace rdma::clang_ir {

/// What decides whether the posts and polls of this part of a thread are reached, what they ask for, and
/// which bytes of their buffers the thread touches. How often a loop runs that has nothing of it, and what it
/// changes, is left out: it is forgotten like everything else that is not followed.
struct Relevant {
  std::set<unsigned> Cells;
  std::set<const llvm::Instruction *> Values;
};
/// Asked: of these blocks, too, whether they are reached.
Relevant relevantFor(const CountedThread &Part, const Cells &Memory,
                     const std::set<const llvm::BasicBlock *> &Asked);

} // namespace rdma::clang_ir

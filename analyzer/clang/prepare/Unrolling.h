// Which loops become straight lines.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace llvm {
class ScalarEvolution;
}

namespace rdma::clang_ir {

/// How many copies of its body take the loop's place, or are one round of it; 0: it stays as it is, since
/// counts/ knows more of the loop, or nothing is known from its copies.
unsigned copiesOf(const llvm::Loop &L, llvm::ScalarEvolution &Evolution);

} // namespace rdma::clang_ir

// What values libraries give: `return -errno;` is no number of completions.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Loads of errno are of no negative number, unless the program may store one, and loads of a completion's
/// status are of one that the headers list, unless it may store another there; said as range metadata, which
/// passes take as true.
void noteRanges(llvm::Module &M);

/// Where a call of the verbs libraries or the system is seen to have failed, errno is not zero: no library
/// sets it so, and the module must not. Asked for once values are in registers.
void noteFailures(llvm::Function &F, const llvm::DominatorTree &Tree);

/// The member of an ibv_wc that says whether its request has succeeded.
bool isCompletionStatus(const llvm::Value *Place);

/// A status that is read again straight behind its test is the one that was tested: `return -wc.status;` is
/// not zero. The library alone fills completions, when it is called.
void shareStatus(llvm::Function &F);

} // namespace rdma::clang_ir

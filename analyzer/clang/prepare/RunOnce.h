// What runs once: variables of a block that are set up when they are come by (`static T x = make();`),
// pthread_once and std::call_once.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// Makes ordinary code of them: a look at a word that says that it is done, and where it is not, a look under
/// a lock, the set-up, and the word. The word is the program's guard or `pthread_once_t`, the lock a variable
/// of its own beside it. Who finds the word set has looked at it only, as in the libraries: that is no fence.
/// What ends by an exception is to be run again. Done where the word is a variable of the sources, and which
/// function runs is in sight: other calls stay what they are.
void runOnce(llvm::Module &M);

/// Such a word is never cleared: looks of a thread that has set it, or seen it set, on every way to there are
/// left out. Says whether there were any.
bool leaveOutWhatIsDone(llvm::Function &F);

} // namespace rdma::clang_ir

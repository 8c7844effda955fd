// What set-up code has done before a thread begins.
#pragma once

#include "analyzer/clang/counts/Sites.h"

namespace rdma::clang_ir {

/// Is all that the function may write to the place written when the thread begins, and never again? So where
/// `main` calls what begins the thread once, by one chain of calls, and nothing behind that can come to the
/// function, nor can anything that is run by its address, as other threads and handlers are. A call through a
/// pointer may come to anything; a call of code outside the sources is remarked, and withholds *robust*
/// there.
bool isSetBefore(const CountedThread &T, const llvm::Function &Writer, const Pointer &Where);

} // namespace rdma::clang_ir

// A call through a declaration that tells no parameters, or others, is a call of what is defined elsewhere.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// In linked files: a call whose function is known and has another type than the call, as C's `int run();`
/// makes them, gets the function's own. Where the arguments are not what the function takes, the call stays
/// one of something unknown.
void callByPrototype(llvm::Module &All);

} // namespace rdma::clang_ir

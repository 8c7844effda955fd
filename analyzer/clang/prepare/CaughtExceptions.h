// What a caught exception of the standard library says of itself.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// `what()` of a variable that a handler has for a class of the library, such as `const std::exception &`, is
/// virtual, and the object comes from where nothing is seen of it. Where the module overrides it nowhere, the
/// library's is called, by its name. For units as the front end leaves them, before any pass.
void callWhatByName(llvm::Module &M);

} // namespace rdma::clang_ir

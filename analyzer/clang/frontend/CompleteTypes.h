// A class that one file only declares has the members that another file says it has.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// In the debug information of linked files: what leads to a declaration leads to the definition, where C++'s
/// one definition rule says which that is.
void completeTypes(llvm::Module &All);

} // namespace rdma::clang_ir

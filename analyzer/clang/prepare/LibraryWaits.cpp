#include "analyzer/clang/prepare/LibraryWaits.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/prepare/NewBody.h"

#include <llvm/IR/IRBuilder.h>

namespace rdma::clang_ir {

using namespace llvm;

void waitAtOnce(Module &M) {
  for (Function &F : M) {
    // bool std::__detail::__atomic_spin<...>: has what is waited for come meanwhile?
    if (F.isDeclaration() || !F.getName().starts_with("_ZNSt8__detail13__atomic_spinI") ||
        !F.getReturnType()->isIntegerTy(1) || declarerOf(F) != Declarer::Standard)
      continue;
    IRBuilder<>(newBody(F)).CreateRet(ConstantInt::getFalse(M.getContext()));
  }
}

} // namespace rdma::clang_ir

#include "analyzer/clang/prepare/LibraryWaits.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace rdma::clang_ir {

using namespace llvm;

void waitAtOnce(Module &M) {
  for (Function &F : M) {
    // bool std::__detail::__atomic_spin<...>: has what is waited for come meanwhile?
    if (F.isDeclaration() || !F.getName().starts_with("_ZNSt8__detail13__atomic_spinI") ||
        !F.getReturnType()->isIntegerTy(1) || declarerOf(F) != Declarer::Standard)
      continue;
    DISubprogram *Described = F.getSubprogram();
    const GlobalValue::LinkageTypes Linkage = F.getLinkage();
    F.deleteBody();
    F.setLinkage(Linkage);
    F.setSubprogram(Described);
    IRBuilder<>(BasicBlock::Create(M.getContext(), "", &F)).CreateRet(ConstantInt::getFalse(M.getContext()));
  }
}

} // namespace rdma::clang_ir

// Functions of a library that do here what they mean, and not how they do it.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

namespace rdma::clang_ir {

/// Takes the function's body away: the block that it then begins with is empty. Who calls it finds it as
/// before.
inline llvm::BasicBlock *newBody(llvm::Function &F) {
  llvm::DISubprogram *Described = F.getSubprogram();
  const llvm::GlobalValue::LinkageTypes Linkage = F.getLinkage();
  F.deleteBody();
  F.setLinkage(Linkage);
  F.setSubprogram(Described);
  return llvm::BasicBlock::Create(F.getContext(), "", &F);
}

} // namespace rdma::clang_ir

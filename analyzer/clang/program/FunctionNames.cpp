#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/IR/DebugInfoMetadata.h>

namespace rdma::clang_ir {

std::string sourceName(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getName().str() : F.getName().str();
}

std::string placeOf(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getFilename().str() + ":" + std::to_string(Program->getLine()) : "";
}

} // namespace rdma::clang_ir

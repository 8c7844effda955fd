// Where annotations are written (rdma/annotations.h): LLVM's IR knows the line of the function they stand at.
#pragma once

#include "ir/Program.h"

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace rdma::clang_ir {

/// What the IR says of an annotation, and where it is written.
struct WrittenAnnotation {
  std::string File; ///< of the function
  unsigned Line;
  std::vector<std::string> Words;
  Place At;
};

/// Notes the annotations of the sources when they have been parsed.
std::unique_ptr<clang::ASTConsumer> findAnnotations(std::vector<WrittenAnnotation> &Found);

/// Keeps them with the module.
void keepAnnotations(llvm::Module &Unit, const std::vector<WrittenAnnotation> &Found);

/// Where this annotation is written, of whatever file was linked; else the line of its function.
Place placeOfAnnotation(const llvm::Module &All, const std::string &File, unsigned Line,
                        const std::vector<std::string> &Words);

} // namespace rdma::clang_ir

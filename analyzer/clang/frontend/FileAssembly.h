// Assembler outside of functions: it may define and rename whatever it likes, and LLVM's IR does not show it.
#pragma once

#include "ir/Program.h"

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

namespace rdma::clang_ir {

/// Notes where the sources have such assembler, while they are parsed.
std::unique_ptr<clang::ASTConsumer> findAssembly(std::vector<Place> &Found);

/// Keeps with the module the first of these places, if the module has assembler that may touch memory or
/// define a name; File is the place where none is known.
void keepAssembly(llvm::Module &Unit, const std::vector<Place> &Found, const std::string &File);

/// Those of all files that were linked.
std::vector<Place> assemblyIn(const llvm::Module &All);

} // namespace rdma::clang_ir

// Expressions of which the language leaves open which operand is evaluated first, where several of them call
// something: `use(post(qp), next(slot))`. The IR has the order that clang has chosen; other compilers choose
// others.
#pragma once

#include "ir/Program.h"

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace rdma::clang_ir {

/// For each such operand the functions that it calls, as the linker names them; "": one by a pointer.
struct UnorderedOperands {
  std::vector<std::vector<std::string>> Callees;
  std::string Function; ///< around it, as the linker names it
  Place At;
};

/// Notes them when the sources have been parsed, but not those of the system's headers.
std::unique_ptr<clang::ASTConsumer> findUnordered(std::vector<UnorderedOperands> &Found);

/// Keeps them with the module.
void keepUnordered(llvm::Module &Unit, const std::vector<UnorderedOperands> &Found);

/// Those of all files that were linked.
std::vector<UnorderedOperands> unorderedIn(const llvm::Module &All);

} // namespace rdma::clang_ir

// Who runs what, where nobody says: the functions that `main` chooses between, found by following it through
// calls, tables of functions and callbacks.
#pragma once

#include "analyzer/clang/Extract.h"

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace rdma::clang_ir {

struct Role {
  llvm::Function *F;
  unsigned Program = 0;  ///< of several programs, the one it is part of
  std::string Node = {}; ///< where it runs; nodesOf says it
  ShownEnd End = {};

  /// As a topology calls it.
  std::string name() const;
};

/// The entries of each program, before anything is inlined: what main decides between where the ways exclude
/// each other and each posts or polls; else main. Of a library, the functions others can call that do. Of
/// several programs (which M holds, or is one of) each has one, also one that only lends its memory.
std::vector<Role> findRoles(llvm::Module &M, bool OneOfSeveral = false);

} // namespace rdma::clang_ir

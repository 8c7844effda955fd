// Which functions processes begin with, and on which nodes.
#pragma once

#include "analyzer/clang/program/Inventory.h"

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace rdma::clang_ir {

struct EntryPoint {
  llvm::Function *F;
  std::string Name; ///< as the user calls it
  std::string Key;  ///< as the topology's maps call it
  std::string Node; ///< the kind of node that it runs on, in the topology
  std::vector<NodeId> Homes;
  bool Any = false;   ///< the last home stands for any number of nodes
  bool Alone = false; ///< of a library, of which anyone may call each: a home of its own, in one process
};

/// The entries the topology names; without one, main, or, in a library, every function others can call. That
/// several of these run at once, nobody says: only an open world is asked what others can look at then.
/// Throws InputError for a function that the sources do not define.
std::vector<EntryPoint> findEntries(llvm::Module &M, Inventory &Stock, const std::vector<std::string> &Files);

} // namespace rdma::clang_ir

// Which functions are threads, and on which nodes.
#pragma once

#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/program/Remarks.h"

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

struct EntryPoint {
  llvm::Function *F;
  std::string Name; ///< as the user calls it
  std::vector<NodeId> Homes;
  bool Any = false; ///< the last home stands for any number of nodes
};

/// The entries the topology names; without one, main, or, in a library, every function others can call.
/// Throws InputError for a function that the sources do not define.
std::vector<EntryPoint> findEntries(llvm::Module &M, Inventory &Stock, const std::vector<std::string> &Files);

/// Extracts every entry, and the threads that it starts, into the program.
void extractThreads(llvm::Module &M, const std::vector<EntryPoint> &Entries, Inventory &Stock,
                    RemarkLog &Log);

} // namespace rdma::clang_ir

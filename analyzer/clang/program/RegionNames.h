// What a topology calls memory of a node where something runs, and nothing there is called.
#pragma once

#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"

namespace rdma::clang_ir {

/// Throws InputError where such a name is surely misspelt: it is the name of no variable anywhere in the
/// node's program, not even of memory that only set-up code has a name for, and all but the name of one.
/// Any other is taken as memory of its own, and said with what is near: it withholds *robust*.
void requireRegions(const Inventory &Stock, const llvm::Module &M, RemarkLog &Log);

} // namespace rdma::clang_ir

// Whether an instruction touches bytes of the request that is followed.
#pragma once

#include "analyzer/clang/counts/Region.h"
#include "analyzer/clang/program/Inventory.h"

namespace rdma::clang_ir {

/// Where a load, a store, or what clang makes of memset and its like, touches memory.
llvm::SmallVector<const llvm::Value *, 2> addressesOf(const llvm::Instruction &I);

/// As far as addresses and lengths tell; true where they do not. Op: one of what the instruction does, just
/// behind Now. Post: that of the request.
z3::expr touches(const llvm::Instruction &I, const Operation &Op, const PostSite &Post, Inventory &Stock,
                 System &S, Region &R, const State &Now);

} // namespace rdma::clang_ir

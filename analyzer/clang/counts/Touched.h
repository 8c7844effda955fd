// Whether an instruction touches bytes of the request that is followed.
#pragma once

#include "analyzer/clang/counts/Region.h"
#include "analyzer/clang/program/Inventory.h"

namespace rdma::clang_ir {

/// As far as addresses and lengths tell; true where they do not. Op: one of what the instruction does, just
/// behind Now. Post: that of the request.
z3::expr touches(const llvm::Instruction &I, const Operation &Op, const PostSite &Post, Inventory &Stock,
                 System &S, Region &R, const State &Now);

} // namespace rdma::clang_ir

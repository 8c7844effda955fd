// Elements of maps of the C++ library that are looked up more than once.
#pragma once

#include <llvm/IR/Function.h>

namespace rdma::clang_ir {

/// An element of std::map or std::unordered_map stays where it is until it is erased. So `m[k]` behind
/// another `m[k]`, with nothing between that could erase it or change `k`, is the element that the first one
/// gave, and is replaced by it: what the hash of a key leads to is not known otherwise. Returns whether
/// anything changed.
bool shareLookups(llvm::Function &F);

} // namespace rdma::clang_ir

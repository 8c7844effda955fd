// The nodes of the C++ library's trees and lists.
//
// What links them is compiled in the library. It reads and writes the links of the nodes that it is given,
// and of those that these lead to, and nothing else: no element, and nothing beside the nodes.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>

namespace rdma::clang_ir {

struct NodeLinks {
  llvm::ArrayRef<std::int64_t> Pointers; ///< where the links are in a node: bytes from its beginning
  std::int64_t Size;                     ///< the bytes of a node in which nothing else is
  bool Writes;                           ///< or it looks only
};

/// Nothing: it is no such function, or one of the program's.
std::optional<NodeLinks> nodeLinks(const llvm::Function &F);

} // namespace rdma::clang_ir

// Addresses whose values are not known, but what they are made of: how far apart are `&wr[i % 4].next` and
// `&wr[i % 4]`?
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rdma::clang_ir {

/// Root + each index times its stride + Offset, in bytes.
struct SymbolicAddress {
  const llvm::Value *Root = nullptr;
  std::vector<std::pair<const llvm::Value *, std::int64_t>> Indices;
  std::int64_t Offset = 0;
};

SymbolicAddress symbolicAddress(const llvm::Value *Address, const llvm::DataLayout &Layout);

/// How many bytes To is behind From, where both are computed of the same instances of the same values; absent
/// when that cannot be told.
std::optional<std::int64_t> distance(const SymbolicAddress &From, const SymbolicAddress &To);

/// The instructions that it is made of in the end: executed again, they give another address.
std::set<const llvm::Instruction *> leavesOf(const SymbolicAddress &Address);

} // namespace rdma::clang_ir

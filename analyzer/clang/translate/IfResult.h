// What a program computes of a call's result, if that were a certain number.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace rdma::clang_ir {

class IfResult {
public:
  explicit IfResult(const llvm::CallBase &Call);

  const llvm::SmallPtrSetImpl<const llvm::Value *> &computed() const { return Computed; }
  /// Is it the result itself, maybe made wider, or read from where it is kept?
  bool isResult(const llvm::Value *V) const { return Kept.contains(V); }

  /// Null: that is not known. Where ways meet, the values of those on which it is computed of the result, if
  /// they are one.
  const llvm::Constant *value(const llvm::Value *V, std::int64_t Result) const;

private:
  using Known = llvm::DenseMap<const llvm::Value *, const llvm::Constant *>;

  const llvm::Constant *value(const llvm::Value *V, std::int64_t Result, Known &Before, unsigned Depth) const;
  const llvm::Constant *compute(const llvm::Value *V, std::int64_t Result, Known &Before,
                                unsigned Depth) const;
  template <typename Range>
  const llvm::Constant *alike(const Range &Values, std::int64_t Result, Known &Before, unsigned Depth) const;

  const llvm::CallBase &Call;
  llvm::SmallPtrSet<const llvm::Value *, 16> Kept, Computed;
};

} // namespace rdma::clang_ir

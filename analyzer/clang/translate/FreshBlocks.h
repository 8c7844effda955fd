// What a thread does with a block before it lets others know where it is.
//
// `job = malloc(...); job->size = n; lock(m); push(job);` fills a block that nobody else can come by:
// whatever another thread does there, it does behind that, by the pointer that it has found.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <map>
#include <optional>
#include <vector>

namespace rdma::clang_ir {

class FreshBlocks {
public:
  /// Is this in the block that a call has made last, and has the address of that block not been stored,
  /// turned into a number or given away on any way to Here? Allocates: does the call return a block of its
  /// caller's own?
  bool isFresh(const llvm::Value *Pointer, const llvm::Instruction &Here,
               llvm::function_ref<bool(const llvm::CallBase &)> Allocates);

private:
  using Uses = std::optional<std::vector<const llvm::Instruction *>>; ///< absent: too many
  const Uses &shownBy(const llvm::CallBase &Made);

  std::map<const llvm::CallBase *, Uses> Shown; ///< where each block's address goes elsewhere
};

} // namespace rdma::clang_ir

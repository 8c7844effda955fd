// What a function of variable arguments is given, once it is inlined: its va_list leads to memory of the
// caller, as the ABI has it for arguments that no register has room for.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <vector>

namespace rdma::clang_ir {

/// One call of a function with variable arguments, before and after its body is put in its place.
class VariableArguments {
public:
  /// Puts what the call gives beyond the parameters into memory of the caller. Nothing where the callee does
  /// not ask for it, and on other machines than x86-64: there a va_list holds anything.
  explicit VariableArguments(llvm::CallBase &Call);
  /// The body stands in the place of the call: its va_lists lead to that memory.
  void inlined();

private:
  llvm::Function &Caller;
  llvm::Value *Given = nullptr;
  std::vector<const llvm::Instruction *> Own; ///< the caller's own va_start
};

} // namespace rdma::clang_ir

// What runs before main: constructors of global objects, and what they call.
#pragma once

#include <llvm/IR/Module.h>

#include <set>

namespace rdma::clang_ir {

class BeforeMain {
public:
  explicit BeforeMain(const llvm::Module &M);

  /// Has the function run, once at least, when anything but constructors does?
  bool isCertain(const llvm::Function &F) const { return Certain.count(&F); }
  /// May it run while constructors do?
  bool mayRun(const llvm::Function &F) const { return Possible.count(&F); }
  /// May what runs then read or write the variable?
  bool mayName(const llvm::GlobalVariable &Global) const { return Possible.count(&Global); }

private:
  void addCertain(const llvm::Function &F);
  void addPossible(const llvm::Value &V);

  std::set<const llvm::Function *> Certain;
  std::set<const llvm::Value *> Possible; ///< functions, and what names them
};

/// Does the function not return before it has done this?
bool alwaysDone(const llvm::Instruction &I);

} // namespace rdma::clang_ir

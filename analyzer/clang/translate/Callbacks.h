// What a function may do when somebody calls it whom the sources do not show: a bound that needs no context.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <set>

namespace rdma::clang_ir {

struct Behaviour {
  bool Unknown = false;    ///< posts, polls, orders, starts threads, or does what is not understood
  bool Stores = false;     ///< to memory other than its own variables and Globals
  bool Loads = false;      ///< from such memory, found through other memory
  bool LoadsGiven = false; ///< from what its parameters point to
  std::set<const llvm::GlobalVariable *> Globals = {}; ///< that it reads or writes
  std::set<const llvm::Function *> Runs = {};          ///< itself, and what it calls
};

/// Does it touch memory of which it is told, or that it finds?
inline bool goesElsewhere(const Behaviour &B) { return B.Stores || B.Loads || B.LoadsGiven; }

/// Known: functions that are analysed as threads; what they do is left out.
Behaviour behaviourOf(const llvm::Function &F, const std::set<const llvm::Function *> &Known = {});

/// Is it a function of the program, or one of the C++ library's headers that may call one?
bool runsProgram(const llvm::Function &F);

} // namespace rdma::clang_ir

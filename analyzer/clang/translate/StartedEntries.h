// How often the sources run an entry in one process.
//
// One thread is extracted for each entry that a topology lists. Where set-up code may run the entry a second
// time, in another thread or one after the other, that run is not analysed.
#pragma once

#include "analyzer/clang/program/Remarks.h"

#include <llvm/IR/InstrTypes.h>

#include <map>
#include <set>
#include <vector>

namespace rdma::clang_ir {

class StartedEntries {
public:
  explicit StartedEntries(const std::set<const llvm::Function *> &Entries) : Entries(Entries) {}

  /// Set-up code calls the entry.
  void call(const llvm::Function &Entry, const llvm::CallBase &Call);
  /// Set-up code starts a thread with this routine.
  void spawn(const llvm::Function &Routine, const llvm::CallBase &Call);
  /// Remarks on each run that comes beside or behind another in the same process.
  void tell(RemarkLog &Log) const;

private:
  struct Run {
    const llvm::CallBase *Call;
    bool InThread = false, Again = false; ///< a thread of its own runs it; more than once
  };
  using Runs = std::map<const llvm::Function *, unsigned>;

  static bool together(const Run &A, const Run &B);
  const Runs &below(const llvm::Function &F);
  const llvm::Function *entryCalled(const llvm::CallBase &Call) const;

  const std::set<const llvm::Function *> &Entries;
  std::map<const llvm::Function *, std::vector<Run>> Found;
  std::map<const llvm::Function *, Runs> Below;
};

} // namespace rdma::clang_ir

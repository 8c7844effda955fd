// Who runs the entries in one process, and how often.
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

  /// Set-up code may run the function by this call, perhaps in a thread of its own.
  void add(const llvm::Function &F, const llvm::CallBase &Call, bool InThread);
  /// The function runs only in threads that set-up code starts.
  void runsInThread(const llvm::Function &F) { InThreads.insert(&F); }
  /// An entry that the function is, or may run before it returns; null: none.
  const llvm::Function *below(const llvm::Function &F) const;
  /// Remarks on each run that comes beside or behind another in the same process.
  void tell(RemarkLog &Log) const;

private:
  struct Site {
    const llvm::CallBase *Call;
    bool InThread = false; ///< a thread of its own runs it
  };

  llvm::ArrayRef<Site> sitesOf(const llvm::Function &F) const;
  using Seconds = std::map<const llvm::Function *, const llvm::CallBase *>;
  const llvm::CallBase *second(const llvm::Function &F, Seconds &Known) const;

  const std::set<const llvm::Function *> &Entries;
  std::set<const llvm::Function *> InThreads;
  std::map<const llvm::Function *, std::vector<Site>> Sites;                 ///< by what is run there
  std::map<const llvm::Function *, std::set<const llvm::Function *>> Called; ///< by who calls
};

} // namespace rdma::clang_ir

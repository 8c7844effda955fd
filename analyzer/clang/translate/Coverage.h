// Which posts of the sources no analysed thread reaches, and which threads nobody who is looked at starts.
#pragma once

#include "ir/Program.h"

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rdma::clang_ir {

class PostsInSources {
public:
  /// Before anything is inlined.
  explicit PostsInSources(const llvm::Module &M);
  /// A thread's entry, with what was inlined into it.
  void see(const llvm::Function &Thread);
  /// A function of set-up code, likewise.
  void seeSetup(const llvm::Function &F) { addInlined(F, SeenInSetup); }

  struct Unreached {
    llvm::DebugLoc Where;
    std::string Function;
  };
  /// One for each function that posts, or calls what does and threads run, and is neither part of a thread
  /// nor called, directly, from one.
  std::vector<Unreached> unreached() const;
  /// One for each function that starts a thread or something else beside the threads, and that nothing which
  /// is looked at runs: code outside the sources may, which knows it by its name, a table or a pointer.
  std::vector<Unreached> unreachedStarts() const;
  /// Of these functions, those that are neither part of a thread or of set-up code, nor called, directly,
  /// from one.
  std::vector<llvm::Function *> notLookedAt(const std::vector<llvm::Function *> &Some) const;

  /// Of expressions that threads may evaluate in another order (OpenOrders.h).
  std::vector<Place> openOrders() const;

private:
  void addCalls();
  std::set<std::string> lookedAt() const;
  static void addInlined(const llvm::Function &F, std::set<std::string> &Keys);
  std::set<std::string> posting() const;

  using Places = std::map<std::string, Unreached>;
  static std::set<std::string> calledFrom(std::set<std::string> Some,
                                          const std::map<std::string, Places> &By);
  Places Posting, Starting;                     ///< by function
  std::map<std::string, Places> Calls, MayCall; ///< by caller and callee; MayCall: also those by pointers
  std::map<std::string, std::map<const llvm::FunctionType *, Unreached>> Indirect;
  std::map<const llvm::FunctionType *, std::set<std::string>> ByPointer;
  std::map<std::string, std::vector<Place>> OpenOrders; ///< by function
  std::set<std::string> Seen, SeenInSetup, Threads;
};

} // namespace rdma::clang_ir

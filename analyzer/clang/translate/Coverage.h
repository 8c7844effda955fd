// Which posts of the sources no analysed thread reaches.
#pragma once

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

  struct Unreached {
    llvm::DebugLoc Where;
    std::string Function;
  };
  /// One for each function that posts and is neither part of a thread nor
  /// called, directly, from one.
  std::vector<Unreached> unreached() const;

private:
  std::map<std::string, Unreached> Posting; ///< by function
  std::map<std::string, std::set<std::string>> Calls;
  std::set<std::string> Seen;
};

} // namespace rdma::clang_ir

// Which functions are threads, and on which nodes.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"

#include <llvm/IR/Module.h>

#include <deque>
#include <functional>
#include <memory>

namespace rdma::clang_ir {

struct EntryPoint {
  llvm::Function *F;
  std::string Name; ///< as the user calls it
  std::string Key;  ///< as the topology's maps call it
  std::string Node; ///< the kind of node that it runs on, in the topology
  std::vector<NodeId> Homes;
  bool Any = false; ///< the last home stands for any number of nodes
};

/// The entries the topology names; without one, main, or, in a library, every function others can call.
/// Throws InputError for a function that the sources do not define.
std::vector<EntryPoint> findEntries(llvm::Module &M, Inventory &Stock, const std::vector<std::string> &Files);

/// The threads of each kind of process, as far as they are known: entries, and what these were seen to start.
class ThreadPlan {
public:
  explicit ThreadPlan(llvm::Module &M);
  ~ThreadPlan();
  struct State;
  std::unique_ptr<State> S;
};

/// What is to be done while the threads' functions and memory can still be asked.
using ExtractionEnd = std::function<void(const std::deque<CountedThread> &)>;

/// Extracts every thread of the plan into the program. False: it was seen to start further threads, which are
/// in the plan now; what was extracted has not seen their memory and is to be thrown away.
bool extractThreads(ThreadPlan &Plan, const std::vector<EntryPoint> &Entries, Inventory &Stock,
                    RemarkLog &Log, const ExtractionEnd &Finish);

} // namespace rdma::clang_ir

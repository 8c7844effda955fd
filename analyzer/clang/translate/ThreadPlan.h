// The threads of all processes, found by following who starts whom.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Remarks.h"
#include "analyzer/clang/translate/Entries.h"

#include <deque>
#include <functional>
#include <memory>

namespace rdma::clang_ir {

/// The threads of each kind of process, as far as they are known: entries, and what these were seen to start.
class ThreadPlan {
public:
  explicit ThreadPlan(llvm::Module &M);
  ~ThreadPlan();
  struct State;
  std::unique_ptr<State> S;
};

/// What is to be done while the threads' functions and memory can still be asked.
using ExtractionEnd = std::function<void(std::deque<CountedThread> &)>;

/// Extracts every thread of the plan into the program. False: it was seen to start further threads, which are
/// in the plan now; what was extracted has not seen their memory and is to be thrown away.
bool extractThreads(ThreadPlan &Plan, const std::vector<EntryPoint> &Entries, Inventory &Stock,
                    RemarkLog &Log, const ExtractionEnd &Finish);

} // namespace rdma::clang_ir

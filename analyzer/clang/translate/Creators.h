// Who creates the queue pairs that a thread uses: itself, another thread of its process, or `main`.
//
// A queue pair that a pointer leads to was created by the call that its block is named after, whoever
// has put the pointer there, when, and how often: what is always the same at that call is true of it
// wherever it is used. Nothing is asked of the order of threads. Where the call may make several, it
// is not known here which of them has which queue.
#pragma once

#include "analyzer/clang/memory/MemoryReader.h"

#include <deque>

namespace rdma::clang_ir {

/// Code that creates queue pairs, as one thread runs it.
struct Creator {
  const Instance &Thread;
  Pointers &Where;
  MemoryReader Memory;
  bool Once; ///< neither the thread nor one that leads to its start is one of several
};

/// Of one process.
class Creators {
public:
  explicit Creators(PointsTo &Process) : Process(Process) {}

  void add(InstanceId I, Pointers &Where) {
    bool Once = true;
    for (InstanceId Above = I; Above != ~0u; Above = Process.instance(Above).Parent)
      Once &= !Process.instance(Above).Twin;
    const Instance &Thread = Process.instance(I);
    All.push_back({Thread, Where, MemoryReader(Thread.F, Where), Once});
  }

  /// Who makes the block, by a call of its own; null: not known. Of threads that start each other by the same
  /// function, the one that the whole way to the block leads to.
  Creator *of(const Origin &Block) {
    auto *Call = llvm::dyn_cast_or_null<llvm::CallBase>(Block.Root);
    Creator *Found = nullptr;
    for (Creator &By : All)
      if (Call && Call->getFunction() == &By.Thread.F &&
          llvm::StringRef(Block.Key).starts_with(By.Thread.Prefix) &&
          (!Found || Found->Thread.Prefix.size() < By.Thread.Prefix.size()))
        Found = &By;
    return Found;
  }

private:
  PointsTo &Process;
  std::deque<Creator> All;
};

} // namespace rdma::clang_ir

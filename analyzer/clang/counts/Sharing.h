// Counters that one thread reads and others change, and words in which others tell: which of them say how
// many completions were taken.
#pragma once

#include "analyzer/clang/counts/Budget.h"
#include "analyzer/clang/counts/System.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/translate/LocksHeld.h"

#include <deque>

namespace rdma::clang_ir {

class Invariants;

class Sharing {
public:
  /// What is not proved when the cost is spent is not shared.
  Sharing(Inventory &Stock, const std::deque<CountedThread> &Threads, Budget &Cost)
      : Stock(Stock), P(Stock.P), Threads(Threads), Cost(Cost) {}

  /// The counters that T reads, and that all others change only by completions that they have taken from one
  /// of these queues.
  std::vector<SharedCounter> readBy(const CountedThread &T, const std::vector<QueueFacts> &Queues);
  /// Where T waits for the ends of threads, what these have taken from these queues until then.
  std::vector<TakenByEnd> endsFor(const CountedThread &T, const std::vector<QueueFacts> &Queues);
  /// May the bytes be written by others than the CPU of T?
  Cells::Foreign writtenBeside(const CountedThread &T);

private:
  /// One change of the word: so much is added or taken away, or that is stored.
  struct Change {
    const llvm::Instruction *At;
    enum class Kind { Adds, Subtracts, Stores } What;
    const llvm::Value *By;
  };
  struct Writer {
    const CountedThread *By;
    std::vector<Change> All;
  };
  struct Changes {
    std::vector<Writer> Others;
    bool Stored = false;  ///< else all add or subtract
    bool Released = true; ///< whoever sees one with an acquire sees what came before it,
    std::set<Lock> Locks; ///< and whoever holds one of these
    /// What another thread sets it to before it starts these, and where.
    std::optional<std::int64_t> Initial = {};
    const CountedThread *SetBy = nullptr;
    const llvm::Instruction *SetAt = nullptr;
  };
  /// What its writer's changes say: which way it counts, or that each stands for a completion.
  struct Claim {
    std::optional<int> Sign;
    bool Each = false;
  };
  std::optional<Changes> changes(const CountedThread &T, const Pointer &At, std::int64_t Size);
  static std::optional<std::int64_t> setTo(const CountedThread &By, const llvm::Instruction *I,
                                           const CountedThread &T, std::int64_t Size);
  std::optional<Change> changeAt(const llvm::Instruction *I, bool Locked) const;
  Claim claimOf(const Writer &W, const SharedCounter &Counter, const std::string &Queue);
  bool says(Invariants &Proofs, System &Sys, const Writer &W, const SharedCounter &Counter, int Cell,
            int Sign);
  void findReads(const CountedThread &T, const Pointer &At, const Changes &By, SharedCounter &Counter);
  std::int64_t leastTaken(const CountedThread &By, const std::string &Queue);
  std::optional<std::int64_t> initialOf(const CountedThread &T, const Pointer &At, std::int64_t Size,
                                        const Changes &By);
  const std::set<Lock> &heldAt(const CountedThread &T, const llvm::Instruction &I);
  bool isWhole(NodeId Home, const Lock &L);

  Inventory &Stock;
  Program &P;
  const std::deque<CountedThread> &Threads;
  Budget &Cost;
  std::map<std::tuple<const CountedThread *, const Origin *, std::int64_t, std::string>, Claim> Claims;
  std::map<std::pair<const CountedThread *, std::string>, std::int64_t> Least;
  std::map<const CountedThread *, std::map<const llvm::Instruction *, std::set<Lock>>> Held;
  std::map<std::pair<NodeId, Lock>, bool> Whole;
};

} // namespace rdma::clang_ir

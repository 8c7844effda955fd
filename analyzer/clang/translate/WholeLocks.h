// Locks that are held for certain where the calls of a process say so.
//
// Whoever gives such a lock back holds it, and nothing but the calls of locks writes it: no CPU but for what
// sets it up before any thread uses it, and for its end, and no NIC. A semaphore lets in one at a time.
#pragma once

#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/translate/LocksHeld.h"

namespace rdma::clang_ir {

class WholeLocks {
public:
  /// Process: all its threads. ByName: as if memory of unknown origin were no lock.
  WholeLocks(const Inventory &Stock, std::vector<const CountedThread *> Process, bool ByName = false)
      : P(Stock.P), Process(std::move(Process)), ByName(ByName) {}

  bool isWhole(const Lock &L) const;
  /// What its calls touch, in all threads.
  std::vector<Access> placesOf(const Lock &L) const;

  /// The call of a lock whose work on it a statement is, or null: it reads other arguments, too, such as the
  /// time until which it tries.
  static const llvm::CallBase *lockCall(const Program &P, const CountedThread &T, StatementId S);
  /// A call that sets a lock up or destroys it, or the end of its variable.
  static bool setsUpOrEnds(const llvm::Instruction *I);

private:
  bool mayReach(const Access &Written, const std::vector<Access> &Places) const;
  bool isWritten(const Lock &L, const std::vector<Access> &Places) const;
  bool isDelivered(const std::vector<Access> &Places) const;
  bool letsInOne(const Lock &L) const;
  bool comesFirst(const CountedThread &T, const llvm::CallBase &SetUp) const;
  bool isBeforeUse(const CountedThread &T, const llvm::Instruction *I, const Lock &L) const;

  const Program &P;
  std::vector<const CountedThread *> Process;
  bool ByName;
};

} // namespace rdma::clang_ir

// The integers that a thread keeps in memory and that nobody else writes: counters in structs, globals and
// on the stack, and the fields of work requests.
#pragma once

#include "analyzer/clang/counts/Sites.h"

#include <functional>
#include <map>
#include <set>

namespace rdma::clang_ir {

/// A counter that other threads change by no more than the completions that they take, or a word in which
/// they say what they have taken.
struct SharedCounter {
  const Origin *Base;
  std::int64_t Low, Size;
  CompletionQueueId Queue = None; ///< as the thread that reads it calls it
  bool Down = false;              ///< they count down
  bool Own = false;               ///< for the thread that takes them: what it has added itself
  /// What the counter begins with, before any of them.
  std::optional<std::int64_t> Initial = {};
  /// They store to it, where others add. The thread's own part is then what it has last stored there or seen.
  bool Stored = false;
  bool Each = false;    ///< a completion was taken for each of their stores, and no other store
  bool Grows = false;   ///< where they add: what they have added never becomes less
  bool ByValue = false; ///< what they store is no further from this than what they have taken:
  std::int64_t From = 0;
  /// Of the thread: behind which of its instructions all has happened that did before the changes seen there.
  std::set<const llvm::Instruction *> Reads = {};
  /// And its stores that add to what is there, as no other thread can come between, and what does so in one
  /// step (WordSteps.h): what they add, and whether they take it away.
  std::map<const llvm::Instruction *, std::pair<const llvm::Value *, bool>> Adds = {};
  /// The calls that start these threads; none: they may run from the beginning.
  std::vector<const llvm::CallBase *> Starts = {};
};

struct Cell {
  const Origin *Base;
  std::int64_t Low, Size;
  bool OfRequest = false; ///< a field of a work request: no counter
  std::optional<std::int64_t> Initial = {};
  const SharedCounter *Shared = nullptr; ///< then this is the thread's own part of it
};

class Cells {
public:
  /// May anybody but the thread's CPU write these bytes?
  using Foreign = std::function<bool(const Origin &Base, std::int64_t Low, std::int64_t High)>;

  Cells(const CountedThread &T, Foreign WrittenByOthers, std::vector<SharedCounter> Shared = {});

  const std::vector<Cell> &all() const { return All; }
  /// The cell that exactly these bytes are, or -1.
  int at(const PointerSet &Places, std::int64_t Size) const;
  /// The cell that a load or an atomic operation reads; -1: neither, or of no cell.
  int found(const llvm::Value &V) const;
  /// Bytes, or all elements of an array.
  struct Extent {
    Pointer At;
    std::int64_t Size;
  };
  /// What a call may write.
  struct Writes {
    struct Part {
      PointerSet To;
      std::int64_t Size;
    };
    bool Anything = false; ///< whatever is no variable of this function's alone
    std::vector<Part> Parts;
    PointerSet Reached; ///< all of these blocks
  };
  Writes writesOf(const llvm::CallBase &Call) const;
  bool mayTouch(const PointerSet &Places, std::int64_t Size, const Extent &Into) const;
  bool mayTouch(const Writes &Some, const Extent &Into) const;
  /// Every cell that a write there may change.
  std::vector<unsigned> touched(const PointerSet &Places, std::int64_t Size) const;
  std::vector<unsigned> touchedBy(const llvm::CallBase &Call) const;
  /// Is this one block, which nobody writes but the thread's CPU?
  bool ownBlock(const Origin &Base) { return firm(Base) && !WrittenByOthers(Base, 0, Unbounded); }
  /// What a pointer there is in the beginning; null: not known.
  const llvm::Constant *initialAddress(const Cell &C) const;
  /// Is all of it zero where the thread begins? Of what nobody else writes.
  bool beginsZeroed(const Origin &Base) const;
  std::int64_t sizeOf(const llvm::Type *Type) const;
  /// The place becomes a cell, if it can be one.
  void add(const Pointer &Place, std::int64_t Size) { want(Place, Size, false), followStores(); }
  /// The others are no cells any more: nothing is known of what they hold.
  void keep(const std::set<unsigned> &Some);
  /// May this store to a shared counter come behind the start of those that share it?
  bool late(const SharedCounter &Counter, const llvm::Instruction &Store) const;
  /// Does the name stand for one block of memory wherever the thread uses it?
  bool firm(const Origin &Base);

private:
  static bool writesAnything(const llvm::CallBase &Call);
  bool findsSlot(const llvm::Instruction &I, const Cell &Slot) const;
  bool mayReach(const llvm::CallBase &Call, const Origin &Block) const;
  bool isBetween(const llvm::Instruction &Change, llvm::ArrayRef<const llvm::Instruction *> Uses) const;
  bool setsBefore(llvm::ArrayRef<const llvm::Instruction *> Stores, const Cell &Slot,
                  llvm::ArrayRef<const llvm::Instruction *> Uses) const;
  void seed();
  void follow(const llvm::Value *V);
  bool leadsToSeveral(const llvm::Value &V) const;
  void followStores();
  void want(const Pointer &Place, std::int64_t Size, bool OfRequest);
  void recordEscapes();
  bool isPrivate(const Origin &Base) const;
  const llvm::Constant *initializer(const Pointer &Place, std::int64_t Size) const;
  std::optional<std::int64_t> initial(const Pointer &Place, std::int64_t Size) const;

  const CountedThread &T;
  Foreign WrittenByOthers;
  const std::vector<SharedCounter> Shared;
  std::vector<Cell> All;
  std::vector<const llvm::Value *> Work;
  std::set<const llvm::Value *> Seen;
  std::set<std::tuple<const Origin *, std::int64_t, std::int64_t>> Wanted;
  std::set<const Origin *> Escaped; ///< whose addresses are stored anywhere
  std::map<const Origin *, bool> Firm;
};

} // namespace rdma::clang_ir

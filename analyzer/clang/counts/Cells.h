// The integers that a thread keeps in memory and that nobody else writes: counters in structs, globals and
// on the stack, and the fields of work requests.
#pragma once

#include "analyzer/clang/counts/Sites.h"

#include <functional>
#include <set>

namespace rdma::clang_ir {

struct Cell {
  const Origin *Base;
  std::int64_t Low, Size;
  bool OfRequest = false; ///< a field of a work request: no counter
  std::optional<std::int64_t> Initial = {};
};

class Cells {
public:
  /// May anybody but the thread's CPU write these bytes?
  using Foreign = std::function<bool(const Origin &Base, std::int64_t Low, std::int64_t High)>;

  Cells(const CountedThread &T, Foreign WrittenByOthers);

  const std::vector<Cell> &all() const { return All; }
  /// The cell that exactly these bytes are, or -1.
  int at(const PointerSet &Places, std::int64_t Size) const;
  /// Every cell that a write there may change.
  std::vector<unsigned> touched(const PointerSet &Places, std::int64_t Size) const;
  std::vector<unsigned> touchedBy(const llvm::CallBase &Call) const;
  /// Does the name stand for one block of memory for as long as the thread runs?
  bool firm(const Origin &Base);

private:
  static bool writesAnything(const llvm::CallBase &Call);
  void seed();
  void follow(const llvm::Value *V);
  void followStores();
  void want(const Pointer &Place, std::int64_t Size, bool OfRequest);
  void recordEscapes();
  std::vector<unsigned> reachable(const PointerSet &Given) const;
  std::optional<std::int64_t> initial(const Pointer &Place, std::int64_t Size) const;
  std::int64_t sizeOf(const llvm::Type *Type) const;

  const CountedThread &T;
  Foreign WrittenByOthers;
  std::vector<Cell> All;
  std::vector<const llvm::Value *> Work;
  std::set<const llvm::Value *> Seen;
  std::set<std::tuple<const Origin *, std::int64_t, std::int64_t>> Wanted;
  std::set<const Origin *> Escaped; ///< whose addresses are stored anywhere
  std::map<const Origin *, bool> Firm;
};

} // namespace rdma::clang_ir

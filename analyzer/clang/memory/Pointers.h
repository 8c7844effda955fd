// Which memory a pointer, or an address held in an integer, points into.
//
// Memory is told apart by name: globals, variables, what an allocation returned, and what a pointer found at
// an access path points to (`ctx->buf`). Different names are different memory, unless the program stores one
// in the other where we can see it. A pointer without any name may be any registered memory.
#pragma once

#include "analyzer/clang/memory/AccessPaths.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <limits>
#include <map>
#include <memory>
#include <set>

namespace rdma::clang_ir {

/// A block of memory of the process. Key is unique in it.
struct Origin {
  enum class Kind {
    Global,
    Stack,
    Heap,
    Pointee, ///< what the pointer at an access path points to
    Foreign, ///< owned by a library or the kernel: never a buffer of the program
    Unknown,
  } What = Kind::Unknown;
  const llvm::Value *Root = nullptr;
  std::string Key;
  Named Name; ///< and the type of the memory
  /// Name.Path is a pointer to the memory, not the memory.
  bool Indirect = false;
  /// Pointee, and allocations that are stored: the block that holds the pointer, and where in it.
  const Origin *Holder = nullptr;
  std::int64_t HolderOffset = 0;
  bool named() const { return What != Kind::Unknown; }
};

inline constexpr std::int64_t Unbounded = std::numeric_limits<std::int64_t>::max();

/// An address between Low and High (both included) bytes into an origin; High is Unbounded and Low 0 when
/// nothing is known.
struct Pointer {
  const Origin *Base = nullptr;
  std::int64_t Low = 0, High = 0;
  /// The address with every unknown array index 0, and the element sizes of those arrays: for names.
  std::int64_t Zeroed = 0;
  std::vector<std::int64_t> Strides = {};
  bool exact() const { return Low == High; }
  void widen() { Low = 0, High = Unbounded; }
  void shift(std::int64_t Least, std::int64_t Most);
};
using PointerSet = std::vector<Pointer>;

/// An integer as a sum: leaves (values that are not sums) and what lies between Low and High.
struct Sum {
  std::vector<const llvm::Value *> Leaves;
  std::int64_t Low = 0, High = 0;
  void add(std::int64_t Least, std::int64_t Most);
};

/// Memory that several threads of one node share by pointer: the argument a thread was started with.
struct Binding {
  const llvm::Value *Argument = nullptr;
  PointerSet Target;
};

/// The blocks of memory of one process, by key.
using OriginTable = std::map<std::string, std::unique_ptr<Origin>>;

class Pointers {
public:
  /// Prefix makes the keys of this thread's own variables different from other threads'. Parent is the thread
  /// that started this one: what it stored before is still there.
  Pointers(llvm::Function &F, llvm::ScalarEvolution &Evolution, std::string Prefix, OriginTable &Origins,
           std::vector<Binding> Bound = {}, Pointers *Parent = nullptr);

  PointerSet resolve(const llvm::Value *Pointer);
  /// The addresses an integer may hold, as in `sge.addr = (uint64_t)p + 8`. Empty: not a pointer we know.
  PointerSet resolveAddress(const llvm::Value *Integer);
  Sum decompose(const llvm::Value *Integer);

  /// The access path of the value found by a load, or of the variable that holds a value; empty: none.
  Named pathOf(const llvm::Value *V);
  /// The access path of what Where points at, Size bytes of it.
  Named pathAt(const Pointer &Where, std::int64_t Size) const;

  /// What a pointer (or, with IsPointer false, an address in an integer) kept at this place points to.
  PointerSet whatIsFoundAt(const Pointer &Where, bool IsPointer, unsigned Depth = 0);
  static void addAll(PointerSet &All, const PointerSet &More);
  /// Functions whose addresses the thread stores in this block.
  std::vector<const llvm::Function *> functionsStoredIn(const Origin &Block) const;

private:
  using Slot = std::pair<std::string, std::int64_t>; ///< an origin's key and an offset
  struct Copy {
    Pointer To, From;
    std::int64_t Length;
  };
  PointerSet compute(const llvm::Value *V);
  PointerSet ofGep(const llvm::GEPOperator *Gep);
  PointerSet ofLoad(const llvm::LoadInst *Load);
  PointerSet ofCall(const llvm::CallBase *Call);
  PointerSet ofArgument(const llvm::Argument *Parameter);
  PointerSet ofMerge(const llvm::User *Merge, unsigned FirstOperand);
  PointerSet ofPath(const Pointer &Where, bool IsPointer);
  PointerSet unknown();
  void collectStores();
  const Origin *origin(Origin O);
  const Origin *variable(const llvm::Value *V, Origin::Kind What);
  const Origin *allocation(const llvm::CallBase *Call, Origin::Kind What);
  std::string keyOf(const llvm::Value *V, const std::string &Name);
  std::string pointeeKey(const Pointer &Where, const std::string &Path) const;
  void split(const llvm::SCEV *Expression, Sum &Into, unsigned Depth);

  llvm::Function &F;
  llvm::ScalarEvolution &Evolution;
  std::string Prefix;
  OriginTable &Origins;
  std::vector<Binding> Bound;
  Pointers *Parent;
  std::map<const llvm::Value *, std::string> Keys;
  std::map<std::string, unsigned> Names;
  std::map<const llvm::Value *, PointerSet> Known;
  std::vector<const llvm::Value *> Finished; ///< in the order of Known's filling
  std::set<const llvm::Value *> Open, Cyclic;
  /// Pointers and addresses that the thread stores, and blocks that it copies.
  std::map<Slot, std::vector<const llvm::Value *>> Stores;
  std::vector<Copy> Copies;
};

} // namespace rdma::clang_ir

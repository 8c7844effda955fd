// The pointers of one thread: which memory each may point to at its place in the program, and what it is
// called.
//
// PointsTo.h says what holds at all times; here, what a pointer that is loaded from memory points to is
// narrowed to what the thread stored there last, where that is certain.
#pragma once

#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/IR/ConstantRange.h>

namespace rdma::clang_ir {

struct FurtherUse;
struct HeldNumbers;

class MemoryReader;

/// An integer as a sum: leaves (values that are not sums) and what lies between Low and High.
struct Sum {
  std::vector<const llvm::Value *> Leaves;
  std::int64_t Low = 0, High = 0;
  void add(std::int64_t Least, std::int64_t Most);
  bool operator==(const Sum &) const = default;
};

/// How a number is computed: numbers of one form are equal, but where Moves another time that the loop around
/// the place comes by.
struct NumberForm {
  const llvm::SCEV *Sum = nullptr;
  bool Moves = false;
};

/// What a loop counts.
struct Rounds {
  std::int64_t Least, Most;                ///< of an integer, with its sign; {-Far, Unbounded}: not known
  int Direction = 0;                       ///< 1: no less than in the first round; -1: no more; 0: not known
  std::optional<std::int64_t> Each = {};   ///< so much further than the round before, and
  std::optional<std::int64_t> Behind = {}; ///< no more rounds than these come behind the first
};

class Pointers {
public:
  Pointers(PointsTo &All, InstanceId Thread);
  ~Pointers();

  /// Never empty but for null; memory that is not known is one of the set.
  PointerSet resolve(const llvm::Value *Pointer);
  /// The addresses an integer may hold, as in `sge.addr = (uint64_t)p + 8`. Empty: not a pointer we know.
  PointerSet resolveAddress(const llvm::Value *Integer);
  /// What 8 bytes at this place may hold at any time; Null and Number origins included.
  PointerSet everFoundAt(const Pointer &Where) { return Process.united(Process.contents(Where, 8, false)); }
  /// Known: of a load, the one number that it finds, if there is one.
  using KnownLoads = llvm::function_ref<std::optional<std::uint64_t>(const llvm::LoadInst &)>;
  Sum decompose(const llvm::Value *Integer, KnownLoads Known = nullptr);
  /// Of the integer without From.
  NumberForm formOf(const llvm::Value *Integer, const llvm::Value *From, const llvm::Instruction &At);

  /// The access path of the value found by a load, or of the variable that holds a value; empty: none.
  Named pathOf(const llvm::Value *V);
  /// The access path of what Where points at, Size bytes of it.
  Named pathAt(const Pointer &Where, std::int64_t Size) const;
  /// A path as this thread's entry spells it: what another entry calls a, this one may call b.
  std::string spelled(const Origin &Block, std::string Path) const;
  /// What this thread calls the block.
  std::string nameOf(const Origin &Block) const { return spelled(Block, Block.Name.Path); }

  /// What a pointer (or, with IsPointer false, an address in an integer) kept at this place may point to, at
  /// some time.
  PointerSet whatIsFoundAt(const Pointer &Where, bool IsPointer);
  /// What a call finds that follows pointers kept where these lead.
  PointerSet behind(PointerSet Given, const FurtherUse &Use);
  static void addAll(PointerSet &Into, const PointerSet &More) { clang_ir::addAll(Into, More); }
  /// The functions that this value may be, at some time; Open: it may also be one that is not known.
  std::vector<const llvm::Function *> functionsIn(const llvm::Value *V, bool &Open);
  /// Functions whose addresses are kept in this block.
  std::vector<const llvm::Function *> functionsStoredIn(const Origin &Block);
  /// Tables of virtual functions whose addresses are kept there.
  std::vector<const llvm::GlobalVariable *> tablesStoredIn(const Origin &Block);
  /// The functions that a call may enter; Whole: these are all.
  std::vector<llvm::Function *> callees(const llvm::CallBase &Call, bool &Whole) {
    return Process.callees(Thread, Call, Whole);
  }
  /// Every block that a function which is given these pointers can reach, the pointers themselves first.
  PointerSet reachable(const PointerSet &From) { return Process.reachable(From); }

  /// May a request that the call posts deliver into some of these bytes?
  bool mayDeliver(const llvm::CallBase &Post, const Pointer &Into, std::int64_t Size) const {
    return Process.mayDeliver(Thread, Post, Into, Size);
  }

  /// The numbers, without sign, that an integer may be whenever it is computed; and at this instruction,
  /// where it is one that still holds what it held.
  llvm::ConstantRange boundsOf(const llvm::Value *Integer, const llvm::Instruction *At);
  /// What a loop counts, an integer or a pointer, in any of its rounds.
  Rounds roundsOf(const llvm::PHINode &Counter);

  /// Is there a write to these bytes by another thread of the process, or by a function that stayed a call?
  bool writtenElsewhere(const Pointer &Where, std::int64_t Size) const {
    return Process.writtenElsewhere(Thread, Where, Size);
  }
  /// The functions of set-up code that write to these bytes. Nothing: others than the thread write there,
  /// too.
  std::optional<std::set<const llvm::Function *>> setUpWriters(const Pointer &Where,
                                                               std::int64_t Size) const {
    return Process.setUpWriters(Thread, Where, Size);
  }
  /// The functions, with what is inlined into them, that write to these bytes; null: one that is not here.
  std::set<const llvm::Function *> writers(const Pointer &Where, std::int64_t Size) const {
    return Process.writers(Where, Size);
  }
  /// Does anything write to these bytes that is no instruction of a thread or of set-up code?
  bool writtenUnseen(const Pointer &Where, std::int64_t Size) const {
    return Process.writtenUnseen(Where, Size);
  }
  /// What functions that stayed calls give back.
  PointerSet freedIn(const std::set<const llvm::Function *> &Some) const { return Process.freedIn(Some); }
  /// May a thread of the process read what these functions write?
  bool threadsRead(const std::set<const llvm::Function *> &WrittenBy) {
    return Process.threadsRead(WrittenBy);
  }
  /// The nodes that such a function of the library may read and change.
  PointerSet nodesOf(const llvm::CallBase &Call, const NodeLinks &Links) {
    return Process.nodesOf(Thread, Call, Links);
  }
  /// May code outside the sources write to the block, when it is called?
  bool clobbered(const Origin *O) const { return Process.clobbered(O); }
  /// The same of some bytes of it.
  bool knownOutside(const Pointer &At) const { return Process.fromOutside(At); }
  /// What entries call the block that set-up code gives them.
  std::vector<const Origin *> givenAs(const Origin *O) const { return Process.givenAs(O); }
  /// Blocks that a pointer of which nothing is known may lead to.
  std::vector<const Origin *> addressTaken() { return Process.addressTaken(); }
  /// May there be a pointer to the block that is not followed?
  bool escaped(const Origin *O) const { return Process.escaped(O); }

private:
  PointerSet raw(const llvm::Value *V);
  PointerSet narrowed(const llvm::Value *V);
  std::optional<std::int64_t> oneNumber(const llvm::Value &Index);
  HeldNumbers numbersAt(const llvm::LoadInst &Load);
  PointerSet ofElement(const llvm::GEPOperator &Gep);
  PointerSet inArrays(const llvm::GEPOperator &Gep);
  PointerSet ofLoad(const llvm::LoadInst &Load);
  void split(const llvm::SCEV *Expression, Sum &Into, unsigned Depth);

  PointsTo &Process;
  InstanceId Thread;
  llvm::Function &F;
  FunctionFacts &Facts;
  llvm::ScalarEvolution &Evolution;
  std::unique_ptr<MemoryReader> Memory;
  std::map<const Origin *, std::string> Spellings; ///< of what the entry is given
  std::map<const llvm::Value *, PointerSet> Known;
  std::set<const llvm::Value *> Open;
  /// Those of them that step into arrays; true: something rests on that they stay there.
  std::map<const llvm::GEPOperator *, bool> InArrays;
};

} // namespace rdma::clang_ir

// What a piece of the program's own memory holds at a point: the stores that fill a work request.
#pragma once

#include "analyzer/clang/memory/Pointers.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>
#include <set>
#include <vector>

namespace rdma::clang_ir {

struct ApiRow;

/// One of the contents a place may have.
struct Content {
  enum class Kind {
    Constant,
    Value,         ///< the value of V, stored whole
    Uninitialised, ///< never written
    Unknown,
  } What = Kind::Unknown;
  std::uint64_t Constant = 0; ///< also of what is not known: this, if V is the variable that begins with it
  const llvm::Value *V = nullptr;
  const llvm::Instruction *StoredBy = nullptr; ///< the store that has put it there
  bool operator==(const Content &) const = default;
};
using Contents = std::vector<Content>;

/// Walks backwards from a point over everything that may write the place. A store through a pointer to a
/// differently named block does not write it; an unknown function given a pointer to it does.
class MemoryReader {
public:
  MemoryReader(llvm::Function &F, Pointers &Where) : F(F), Where(Where) {}

  /// The contents of Size bytes at a place just before the instruction. Address, where it is given, is what
  /// the place was computed from for this instant, and Behind how many bytes before the place that is: then
  /// a place need not be exact for the stores to it to be found.
  Contents read(const Pointer &Place, std::int64_t Size, const llvm::Instruction *Before,
                const llvm::Value *Address = nullptr, std::int64_t Behind = 0);
  /// The same of a variable that is static: what it holds as the function begins is what it is initialised
  /// with, or what an earlier run has left there.
  Contents readInAnyRun(const Pointer &Place, std::int64_t Size, const llvm::Instruction *Before,
                        const llvm::Value *Address);

  /// The only value that these are, where it is made of what its parts still are at the instruction; or null.
  const llvm::Value *current(const Contents &What, const llvm::Instruction *At) const;

  /// Every constant the value can be, through phis, selects, bit operations and memory; absent when one of
  /// them is not a constant, or there are too many.
  using Numbers = std::optional<std::vector<std::uint64_t>>;
  Numbers constants(const llvm::Value *V);
  Numbers constants(const Contents &What);

  /// The values behind V: phis and selects taken apart, loads of places that were stored to replaced by what
  /// was stored.
  std::vector<const llvm::Value *> alternatives(const llvm::Value *V);

private:
  struct Query {
    Pointer Place;
    std::int64_t Size;
    std::optional<SymbolicAddress> Address = std::nullopt;
    std::set<const llvm::Instruction *> Leaves = {}; ///< of the address
    bool Same = true;                                ///< none of them was passed on the way back
    bool AnyRun = false;
    std::set<std::pair<const llvm::BasicBlock *, bool>> Visited = {};
    Contents Found = {};
  };
  bool isCurrent(const Content &Held, const llvm::Instruction *At) const;
  Contents read(Query Q, const llvm::Instruction *Before, const llvm::Value *Address, std::int64_t Behind);
  const std::vector<const llvm::BasicBlock *> &ends();
  void walk(Query &Q, const llvm::Instruction *From, const llvm::BasicBlock *Block, unsigned Depth);
  bool writes(Query &Q, const llvm::Instruction &I, unsigned Depth);
  bool mayWrite(const Query &Q, const PointerSet &Targets, std::int64_t Length) const;
  bool settles(const Query &Q, const Pointer &Target, const PointerSet &Targets) const;
  std::optional<std::int64_t> placeIn(const Query &Q, const llvm::Value *Written) const;
  bool addStored(Query &Q, const llvm::StoreInst &Store, std::int64_t Ahead);
  bool addMoved(Query &Q, const llvm::AnyMemIntrinsic &Move, std::int64_t Ahead, unsigned Depth);
  bool ofStore(Query &Q, const llvm::StoreInst &Store);
  bool ofIntrinsic(Query &Q, const llvm::AnyMemIntrinsic &Move, unsigned Depth);
  PointerSet filledBehind(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);
  bool ofCall(Query &Q, const llvm::CallBase &Call);
  void atEntry(Query &Q);
  void add(Query &Q, Content C);
  std::optional<Content> initial(const llvm::GlobalVariable &Global, std::int64_t Offset, std::int64_t Size);
  Numbers constants(const llvm::Value *V, unsigned Depth);
  Numbers ofMerged(const llvm::User &Merge, unsigned Depth);
  Numbers ofLoad(const llvm::LoadInst &Load, unsigned Depth);
  Numbers ofBinary(const llvm::BinaryOperator &Binary, unsigned Depth);
  Numbers ofSwapped(const llvm::IntrinsicInst &Swap, unsigned Depth);
  Numbers ofCast(const llvm::CastInst &Cast, unsigned Depth);

  llvm::Function &F;
  Pointers &Where;
  std::set<const llvm::LoadInst *> Open;                     ///< whose constants are being asked for
  std::optional<std::vector<const llvm::BasicBlock *>> Ends; ///< found when they are asked for first
};

} // namespace rdma::clang_ir

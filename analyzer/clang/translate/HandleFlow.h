// Where the handle of a started thread may be kept: a std::thread is moved on, into a vector or a member, and
// its handle goes with it.
#pragma once

#include "analyzer/clang/translate/Joins.h"

#include <set>

namespace rdma::clang_ir {

/// A std::thread, or what has one as a part: where its life ends, so does that of the part, and the program
/// with it if that has not been joined.
bool holdsThread(const llvm::Type *T);

/// A place in a function: a call, or a way out of a block.
struct PlaceInCode {
  const llvm::Instruction *At;
  int Successor = -1;                 ///< of At, which ends a block
  const JoinedRange *Range = nullptr; ///< the way out of its loop
};

/// Can the instruction come behind the place?
bool canReach(const PlaceInCode &Place, const llvm::Instruction &To);

/// Of a std::thread, that is: a pthread_t is a number, and what joins a copy of it tells the others nothing.
class HandleFlow {
public:
  HandleFlow(const Spawn &S, const ThreadsOf &By, llvm::ArrayRef<ThreadsOf> Process);

  /// On each way from the start to there, the handle is joined last, or destroyed, wherever it is: then the
  /// thread is over, if it was started. The place itself counts.
  bool isOverAt(const PlaceInCode &Place) const;

private:
  struct Kept {
    Pointer At;
    std::vector<const llvm::Instruction *> Filled; ///< what puts the handle there
  };
  /// Calls, and edges.
  using Ends = std::set<std::pair<const llvm::Instruction *, int>>;

  void follow(llvm::ArrayRef<ThreadsOf> Process);
  void look(const llvm::Instruction &I);
  void moves(const llvm::Value &Handle);
  void putAt(const llvm::Value *To, const llvm::Instruction &Filler, bool Several);
  void give(const llvm::CallBase &Call);
  bool touches(const llvm::Instruction &I, Pointers &Where) const;
  bool isFollowed(const Pointer &At) const;
  bool isKept(const PointerSet &At, std::int64_t Size) const;
  bool isBlock(const PointerSet &At) const;
  bool isMadeAnew(const Kept &K, const Ends &All) const;
  bool isSettled(const Kept &K, const PlaceInCode &Place) const;
  bool isGivenBack(const Pointer &At, const llvm::Instruction &I) const;
  bool isMovedOn(const Pointer &At, const llvm::Instruction &I) const;
  bool isSeenNone(const Pointer &At, const llvm::Instruction &I) const;
  Ends endsOf(const Kept &K) const;
  bool leftAlone(const PlaceInCode &Place) const;

  const Spawn &S;
  const ThreadsOf &By;
  std::vector<Kept> Places;
  std::vector<const llvm::Instruction *> Touched; ///< what reads a handle at one of the places
  /// Where pointers to heap blocks among the places are kept.
  std::vector<Pointer> Holders;
  bool Lost = false; ///< the handle may be anywhere
};

} // namespace rdma::clang_ir

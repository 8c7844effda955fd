// Loops that join all threads of a std::vector.
//
// A loop from the first element to the end joins in each round the thread of the element, or finds that it
// has none. That [begin, end) is a whole vector is known from the vector's destructor, inlined further down:
// it goes over the same two values.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <vector>

namespace rdma::clang_ir {

inline constexpr std::int64_t HandleSize = 8;

/// The elements are handles and nothing else: of structs it is not known that they have no other.
struct JoinedRange {
  const llvm::Loop *Rounds = nullptr;
  const llvm::Value *Begin = nullptr, *End = nullptr;
  unsigned Exit = 0;     ///< the successor of the loop's header behind the last element
  bool Destroys = false; ///< the loop is that of the vector's destructor

  const llvm::BasicBlock *header() const { return Rounds->getHeader(); }
  bool isOf(const JoinedRange &Other) const { return Begin == Other.Begin && End == Other.End; }
};

/// Is there a way through a round that nothing settles? Settled says of a block: the successor that is only
/// taken where it is settled, EachWay, or NoWay.
inline constexpr int EachWay = -1, NoWay = -2;
bool mayPassRound(const llvm::Loop &L, llvm::function_ref<int(const llvm::BasicBlock &)> Settled);

/// A way out of a block that is only taken where a std::thread, or a place that has kept one, has no handle.
struct AbsentHandle {
  const llvm::Value *Handle;
  unsigned Successor;
};
/// As std::thread::joinable tests it.
std::optional<AbsentHandle> seenAbsent(const llvm::BasicBlock &Block);

/// Is what it reads of a handle's place known to be none?
bool readsNone(const llvm::LoadInst &Load);

/// Is the instruction part of a member function of std::vector, of the destructor if asked?
bool isOfVector(const llvm::Instruction &I, bool Destructor);

/// Is it part of what exchanges two handles, as a move does?
bool isOfSwap(const llvm::Instruction &I);

/// Those whose vector is known as a whole.
std::vector<JoinedRange> findJoinedRanges(const llvm::LoopInfo &Loops, const llvm::DataLayout &Layout);

} // namespace rdma::clang_ir

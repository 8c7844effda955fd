// Which blocks may be one memory, or one a part of the other, for all that the sources show.
//
// What code outside the sources gives to an entry, or keeps where the entry finds it, may lead to any memory
// of its type that such code can reach: what another given pointer leads to, a member of that, a variable
// that other files know.
#pragma once

#include "analyzer/clang/memory/Origin.h"

namespace rdma::clang_ir {

/// Bytes of a block that a given pointer of this kin may lead to.
struct KinBytes {
  /// The name of a type; plain data, whose buffers go by many types, has none.
  std::string Kin;
  std::int64_t Begin = 0, End = Unbounded;
  /// Of one element: where one begins, another may, too.
  std::int64_t Step = 1;
  /// A member of the block, or a variable: it may be what a given pointer leads to, and is no other such
  /// part.
  bool Part = false;
};

/// A variable that another file may name.
bool isPublic(const Origin &Block);

/// Does memory of this type hold a queue pair, or another object of verbs? Its name says that it is no other.
bool holdsHandle(const llvm::DIType *Type);

/// An object of the program's of a type that is known is none, unless such an object holds one. What others
/// give may be kept as a type that is large enough, or as one of a word at most, as handles are; what a
/// library makes as any.
bool mayBeQueuePair(const Origin &Block);

/// Empty: the block is no other memory that has a name. Valid until more is known of the block.
const std::vector<KinBytes> &kinsOf(const Origin &Block);

/// Places of the other block that may be this place of so many bytes.
PointerSet placesIn(const Origin &Other, const Pointer &Where, std::int64_t Size);

/// May Size bytes at A and OtherSize bytes at B, in one block or in two, have a byte in common?
bool mayShare(const Pointer &A, std::int64_t Size, const Pointer &B, std::int64_t OtherSize);
/// As far as their kins go.
bool mayShare(const Origin &A, const Origin &B);

} // namespace rdma::clang_ir

// Blocks of memory of a process, and pointers into them.
#pragma once

#include "analyzer/clang/memory/AccessPaths.h"

#include <llvm/IR/Value.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace rdma::clang_ir {

struct KnownKins;

/// A block of memory of the process. Key is unique in it.
struct Origin {
  enum class Kind {
    Global,
    Stack,
    Heap,
    Pointee, ///< what the pointer at an access path points to, where nothing in the sources says more
    Foreign, ///< owned by a library or the kernel: never a buffer of the program
    Code,    ///< a function
    Null,    ///< no memory: a null pointer
    Number,  ///< no memory as far as is known: an integer that may or may not hold an address
    Unknown, ///< any memory of the program
  } What = Kind::Unknown;
  const llvm::Value *Root = nullptr;
  std::string Key;
  Named Name = {}; ///< and the type of the memory
  /// Name.Path is a pointer to the memory, not the memory.
  bool Indirect = false;
  /// Stands for several blocks: of a list, of an array of pointers, of an allocation in a loop.
  bool Many = false;
  /// Pointee, and allocations that are stored: the block that holds the pointer, and where in it.
  const Origin *Holder = nullptr;
  std::int64_t HolderOffset = 0;
  /// Of an array of pointers, and of a member of many structs: how many bytes there are from one to the next;
  /// 0: not known.
  std::int64_t HolderStep = 0;
  /// Pointers were found in it.
  bool Leads = false;
  /// Code in sight shows which block it is, or the program says that no other pointer leads there.
  bool Apart = false;
  /// Variables and allocations: code outside the sources may have the address, and give it to an entry.
  bool Shown = false;
  mutable std::shared_ptr<const KnownKins> Kins = nullptr; ///< as kinsOf found them last
  /// A block of the program, of a library or of the kernel that has a name.
  bool named() const { return What < Kind::Code; }
};

/// The same order in every run.
struct ByKey {
  bool operator()(const Origin *A, const Origin *B) const { return A->Key < B->Key; }
};

inline constexpr std::int64_t Unbounded = std::numeric_limits<std::int64_t>::max();

/// An address between Low and High (both included) bytes into an origin; High is Unbounded and Low 0 when
/// nothing is known.
struct Pointer {
  const Origin *Base = nullptr;
  std::int64_t Low = 0, High = 0;
  /// The address with every unknown array index 0, and the element sizes of those arrays (1: any offset).
  std::int64_t Zeroed = 0;
  std::vector<std::int64_t> Strides = {};
  bool exact() const { return Low == High; }
  void widen() { Low = 0, High = Unbounded; }
  /// By any number of bytes.
  void blur();
  void shift(std::int64_t Least, std::int64_t Most);
  bool operator==(const Pointer &) const = default;
};
using PointerSet = std::vector<Pointer>;

/// The place this many bytes behind it.
Pointer moved(Pointer P, std::int64_t By);

/// Whatever the unknown indices, two pointers of one block are their Zeroed distance apart, but for a
/// multiple of this many bytes. 0: neither has an index; 1: nothing is known.
std::int64_t stepOf(const Pointer &A, const Pointer &B);
/// How far B is ahead of A, within one step.
std::int64_t aheadOf(const Pointer &A, const Pointer &B, std::int64_t Step);

/// The first byte behind Size bytes at a place, or Unbounded.
std::int64_t endOf(const Pointer &P, std::int64_t Size);

/// May Size bytes at A and OtherSize bytes at B, both in one block, have a byte in common?
bool mayMeet(const Pointer &A, std::int64_t Size, const Pointer &B, std::int64_t OtherSize);

/// Adds what is new; of one block at most a few pointers are kept apart, and of very many blocks only that it
/// may be any memory. Says whether anything was new.
bool addAll(PointerSet &All, const PointerSet &More);
/// Has it grown so large that it may be any memory, whatever is added?
bool isEverything(const PointerSet &All);

/// The access path of Size bytes at a place of a block.
Named pathIn(const Origin &Block, const Pointer &Where, std::int64_t Size);

} // namespace rdma::clang_ir

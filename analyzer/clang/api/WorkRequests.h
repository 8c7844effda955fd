// Work requests as the program fills them.
#pragma once

#include "analyzer/clang/api/Choices.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/MemoryReader.h"

#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

namespace rdma::clang_ir {

/// One scatter-gather entry: where it may be, and its length when that is one constant.
struct Segment {
  PointerSet Address; ///< empty: not known
  std::optional<std::int64_t> Length;
  std::optional<std::int64_t> Most;    ///< it is no longer than this
  const llvm::Value *Stored = nullptr; ///< the address as it was stored, if that is still what its parts are
  bool MayBeEmpty = true;              ///< its length may be zero
};

struct WorkRequest {
  /// Absent: not known.
  std::optional<std::vector<std::uint64_t>> Opcodes, Flags;
  std::optional<std::vector<Segment>> Segments;
  std::vector<const llvm::Value *> Remote; ///< alternatives for the remote address; empty: not known
  std::optional<std::uint64_t> RemoteConstant;
  std::optional<std::uint64_t> CompareAdd, Swap;
  /// The flags and the wr_id as they were stored, if that is still what their parts are; else null.
  const llvm::Value *StoredFlags = nullptr, *StoredId = nullptr;
  /// Where its fields are chosen together, by one branch or block: each of its forms; else none.
  std::vector<WorkRequest> Forms = {};
  bool MayBeLast = false; ///< of a chain that goes on: it may also end here
};

struct WorkChain {
  std::vector<WorkRequest> Requests;
  bool Whole = true; ///< false: there may be more requests behind the last one
};

/// The chain of work requests that List points to, as they are when Call is made.
WorkChain readChain(MemoryReader &Memory, Pointers &Where, const llvm::Value *List,
                    const llvm::CallBase *Call);

/// Of the rdma_post_* calls, rdma_post_sendv and its like: a list of buffers and its length, and no memory
/// region behind them. The flags come next.
inline bool takesList(const llvm::CallBase &Call) {
  return Call.arg_size() < 5 || !Call.getArgOperand(4)->getType()->isPointerTy();
}

inline constexpr unsigned MostSegments = 32;

/// Where a list of buffers has their addresses and lengths.
struct SegmentLayout {
  std::int64_t Address, Length, LengthSize, Size;
};
inline constexpr SegmentLayout ScatterGather{layout::SgeAddr, layout::SgeLength, 4, layout::SgeSize};
inline constexpr SegmentLayout DataBuffers{layout::DataAddr, layout::DataLength, 8, layout::DataSize};

/// What is known of a length that is one of these at an instruction.
void setLength(Segment &S, MemoryReader &Memory, Pointers &Where, const Contents &Lengths,
               const llvm::Instruction *At);

/// The segments of a list with Count entries at Place; Address: as for MemoryReader::read.
std::vector<Segment> readSegments(MemoryReader &Memory, Pointers &Where, const Pointer &Place,
                                  std::uint64_t Count, const llvm::Instruction *At,
                                  const SegmentLayout &Entries = ScatterGather,
                                  const llvm::Value *Address = nullptr, const Choice *Only = nullptr);

/// The value when there is exactly one.
std::optional<std::uint64_t> single(const std::optional<std::vector<std::uint64_t>> &Values);

} // namespace rdma::clang_ir

// Work requests as the program fills them.
#pragma once

#include "analyzer/clang/memory/MemoryReader.h"

#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

namespace rdma::clang_ir {

/// Byte offsets in the structures of <infiniband/verbs.h>, which are part of its binary interface.
namespace layout {
inline constexpr std::int64_t Next = 8, SgList = 16, NumSge = 24, OpcodeAt = 28, FlagsAt = 32; // ibv_send_wr
inline constexpr std::int64_t RemoteAddr = 40, CompareAdd = 48, Swap = 56;                     // its union wr
inline constexpr std::int64_t SgeAddr = 0, SgeLength = 8, SgeSize = 16;                        // ibv_sge
inline constexpr std::int64_t SendCq = 8, RecvCq = 16, QpType = 52,
                              SqSigAll = 56;                // ibv_qp_init_attr, and its _ex
inline constexpr std::int64_t QpSendCq = 24, QpRecvCq = 32; // ibv_qp
inline constexpr std::int64_t CmIdQp = 24;                  // rdma_cm_id
} // namespace layout

/// enum ibv_wr_opcode, enum ibv_send_flags.
enum : std::uint64_t {
  WrWrite = 0,
  WrWriteWithImm = 1,
  WrSend = 2,
  WrSendWithImm = 3,
  WrRead = 4,
  WrCompareSwap = 5,
  WrFetchAdd = 6,
  SendFence = 1,
  SendSignaled = 2,
  SendInline = 8,
};

/// One scatter-gather entry: where it may be, and its length when that is one constant.
struct Segment {
  PointerSet Address; ///< empty: not known
  std::optional<std::int64_t> Length;
};

struct WorkRequest {
  /// Absent: not known.
  std::optional<std::vector<std::uint64_t>> Opcodes, Flags;
  std::optional<std::vector<Segment>> Segments;
  std::vector<const llvm::Value *> Remote; ///< alternatives for the remote address; empty: not known
  std::optional<std::uint64_t> RemoteConstant;
  std::optional<std::uint64_t> CompareAdd, Swap;
  bool MayBeLast = false; ///< of a chain that goes on: it may also end here
};

struct WorkChain {
  std::vector<WorkRequest> Requests;
  bool Whole = true; ///< false: there may be more requests behind the last one
};

/// The chain of work requests that List points to, as they are when Call is made.
WorkChain readChain(MemoryReader &Memory, Pointers &Where, const llvm::Value *List,
                    const llvm::CallBase *Call);

/// The segments of a list with Count entries at Place (ibv_sge[]).
std::vector<Segment> readSegments(MemoryReader &Memory, Pointers &Where, const Pointer &Place,
                                  std::uint64_t Count, const llvm::Instruction *At);

/// The value when there is exactly one.
std::optional<std::uint64_t> single(const std::optional<std::vector<std::uint64_t>> &Values);

} // namespace rdma::clang_ir

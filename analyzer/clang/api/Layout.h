// Offsets in the structures of <infiniband/verbs.h> and <rdma/rdma_cma.h>, and numbers of their enumerations,
// all part of the binary interface. The unit tests hold them against the headers.
#pragma once

#include <cstdint>

namespace rdma::clang_ir {

/// In bytes.
namespace layout {
inline constexpr std::int64_t Next = 8, SgList = 16, NumSge = 24, OpcodeAt = 28, FlagsAt = 32; // ibv_send_wr
inline constexpr std::int64_t RemoteAddr = 40, CompareAdd = 48, Swap = 56;                     // its union wr
inline constexpr std::int64_t SgeAddr = 0, SgeLength = 8, SgeSize = 16;                        // ibv_sge
inline constexpr std::int64_t DataAddr = 0, DataLength = 8, DataSize = 16;                     // ibv_data_buf
inline constexpr std::int64_t SendCq = 8, RecvCq = 16, Capacities = 32, QpType = 52,
                              SqSigAll = 56;                        // ibv_qp_init_attr, and its _ex
inline constexpr std::int64_t QpSendCq = 24, QpRecvCq = 32;         // ibv_qp
inline constexpr std::int64_t QpStateAt = 0;                        // ibv_qp_attr
inline constexpr std::int64_t QpContext = 8, CqContext = 16;        // of ibv_qp and ibv_srq; of ibv_cq
inline constexpr std::int64_t GivenContext = 0, GivenCqContext = 8; // ibv_qp_init_attr; ibv_cq_init_attr_ex
inline constexpr std::int64_t GivenChannel = 16;                    // ibv_cq_init_attr_ex
inline constexpr std::int64_t BuiltId = 168, BuiltFlags = 176;      // ibv_qp_ex: of the next request
inline constexpr std::int64_t PolledId = 136;                       // ibv_cq_ex: of the current completion
inline constexpr std::int64_t CompletedId = 0, CompletedStatus = 8, CompletedOpcode = 12,
                              CompletedLength = 20,
                              CompletionSize = 48;           // ibv_wc
inline constexpr std::int64_t MrAddr = 16;                   // ibv_mr
inline constexpr std::int64_t CmIdContext = 16, CmIdQp = 24; // rdma_cm_id
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
/// enum ibv_wc_opcode.
enum : std::uint64_t {
  WcSend = 0,
  WcWrite = 1,
  WcRead = 2,
  WcCompareSwap = 3,
  WcFetchAdd = 4,
  WcReceive = 128, ///< all that a receive completes with have this bit
  WcReceiveWithImmediate = 129,
};
/// enum ibv_qp_attr_mask, enum ibv_qp_state.
enum : std::uint64_t { QpState = 1, QpsReset = 0 };

} // namespace rdma::clang_ir

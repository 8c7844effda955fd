// The offsets and numbers that extraction knows, as the headers have them.
#include "analyzer/clang/api/Layout.h"

#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

namespace rdma::test {
namespace {

using namespace clang_ir;

TEST(Layout, OfWorkRequests) {
  EXPECT_EQ(layout::Next, offsetof(ibv_send_wr, next));
  EXPECT_EQ(layout::Next, offsetof(ibv_recv_wr, next));
  EXPECT_EQ(layout::SgList, offsetof(ibv_send_wr, sg_list));
  EXPECT_EQ(layout::SgList, offsetof(ibv_recv_wr, sg_list));
  EXPECT_EQ(layout::NumSge, offsetof(ibv_send_wr, num_sge));
  EXPECT_EQ(layout::NumSge, offsetof(ibv_recv_wr, num_sge));
  EXPECT_EQ(layout::OpcodeAt, offsetof(ibv_send_wr, opcode));
  EXPECT_EQ(layout::FlagsAt, offsetof(ibv_send_wr, send_flags));
  EXPECT_EQ(layout::RemoteAddr, offsetof(ibv_send_wr, wr.rdma.remote_addr));
  EXPECT_EQ(layout::RemoteAddr, offsetof(ibv_send_wr, wr.atomic.remote_addr));
  EXPECT_EQ(layout::CompareAdd, offsetof(ibv_send_wr, wr.atomic.compare_add));
  EXPECT_EQ(layout::Swap, offsetof(ibv_send_wr, wr.atomic.swap));
}

TEST(Layout, OfBuffers) {
  EXPECT_EQ(layout::SgeAddr, offsetof(ibv_sge, addr));
  EXPECT_EQ(layout::SgeLength, offsetof(ibv_sge, length));
  EXPECT_EQ(layout::SgeSize, sizeof(ibv_sge));
  EXPECT_EQ(layout::DataAddr, offsetof(ibv_data_buf, addr));
  EXPECT_EQ(layout::DataLength, offsetof(ibv_data_buf, length));
  EXPECT_EQ(layout::DataSize, sizeof(ibv_data_buf));
  EXPECT_EQ(layout::MrAddr, offsetof(ibv_mr, addr));
}

TEST(Layout, OfQueues) {
  EXPECT_EQ(layout::SendCq, offsetof(ibv_qp_init_attr, send_cq));
  EXPECT_EQ(layout::RecvCq, offsetof(ibv_qp_init_attr, recv_cq));
  EXPECT_EQ(layout::QpType, offsetof(ibv_qp_init_attr, qp_type));
  EXPECT_EQ(layout::Capacities, offsetof(ibv_qp_init_attr, cap));
  EXPECT_EQ(layout::SqSigAll, offsetof(ibv_qp_init_attr, sq_sig_all));
  EXPECT_EQ(layout::SendCq, offsetof(ibv_qp_init_attr_ex, send_cq));
  EXPECT_EQ(layout::RecvCq, offsetof(ibv_qp_init_attr_ex, recv_cq));
  EXPECT_EQ(layout::QpType, offsetof(ibv_qp_init_attr_ex, qp_type));
  EXPECT_EQ(layout::Capacities, offsetof(ibv_qp_init_attr_ex, cap));
  EXPECT_EQ(layout::SqSigAll, offsetof(ibv_qp_init_attr_ex, sq_sig_all));
  EXPECT_EQ(layout::QpSendCq, offsetof(ibv_qp, send_cq));
  EXPECT_EQ(layout::QpRecvCq, offsetof(ibv_qp, recv_cq));
  EXPECT_EQ(layout::QpContext, offsetof(ibv_qp, qp_context));
  EXPECT_EQ(layout::QpContext, offsetof(ibv_srq, srq_context));
  EXPECT_EQ(layout::CqContext, offsetof(ibv_cq, cq_context));
  EXPECT_EQ(layout::CqContext, offsetof(ibv_cq_ex, cq_context));
  EXPECT_EQ(layout::GivenContext, offsetof(ibv_qp_init_attr, qp_context));
  EXPECT_EQ(layout::GivenContext, offsetof(ibv_qp_init_attr_ex, qp_context));
  EXPECT_EQ(layout::GivenContext, offsetof(ibv_srq_init_attr, srq_context));
  EXPECT_EQ(layout::GivenCqContext, offsetof(ibv_cq_init_attr_ex, cq_context));
  EXPECT_EQ(layout::GivenChannel, offsetof(ibv_cq_init_attr_ex, channel));
  EXPECT_EQ(layout::BuiltId, offsetof(ibv_qp_ex, wr_id));
  EXPECT_EQ(layout::BuiltFlags, offsetof(ibv_qp_ex, wr_flags));
  EXPECT_EQ(layout::CmIdQp, offsetof(rdma_cm_id, qp));
}

TEST(Layout, OfCompletions) {
  EXPECT_EQ(layout::CompletedId, offsetof(ibv_wc, wr_id));
  EXPECT_EQ(layout::CompletionSize, sizeof(ibv_wc));
  EXPECT_EQ(layout::PolledId, offsetof(ibv_cq_ex, wr_id));
}

TEST(Layout, NumbersOfEnumerations) {
  EXPECT_EQ(WrWrite, IBV_WR_RDMA_WRITE);
  EXPECT_EQ(WrWriteWithImm, IBV_WR_RDMA_WRITE_WITH_IMM);
  EXPECT_EQ(WrSend, IBV_WR_SEND);
  EXPECT_EQ(WrSendWithImm, IBV_WR_SEND_WITH_IMM);
  EXPECT_EQ(WrRead, IBV_WR_RDMA_READ);
  EXPECT_EQ(WrCompareSwap, IBV_WR_ATOMIC_CMP_AND_SWP);
  EXPECT_EQ(WrFetchAdd, IBV_WR_ATOMIC_FETCH_AND_ADD);
  EXPECT_EQ(SendFence, IBV_SEND_FENCE);
  EXPECT_EQ(layout::QpStateAt, offsetof(ibv_qp_attr, qp_state));
  EXPECT_EQ(QpState, IBV_QP_STATE);
  EXPECT_EQ(QpsReset, IBV_QPS_RESET);
  EXPECT_EQ(SendSignaled, IBV_SEND_SIGNALED);
  EXPECT_EQ(SendInline, IBV_SEND_INLINE);
}

} // namespace
} // namespace rdma::test

// What verbs programs change and read beyond the first calls: extended completion queues, resized queues,
// re-registered memory, parent domains.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <ctime>

using namespace rdma::test;

namespace {

uint64_t There[2], Here[2];

uint64_t now(clockid_t Clock = CLOCK_MONOTONIC) {
  timespec T;
  clock_gettime(Clock, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1000000000 + static_cast<uint64_t>(T.tv_nsec);
}

ibv_cq_ex *create(const Device &D, uint64_t Readable, uint32_t Flags = 0) {
  ibv_cq_init_attr_ex Init = {};
  Init.cqe = 16;
  Init.wc_flags = Readable;
  Init.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
  Init.flags = Flags;
  return ibv_create_cq_ex(D.Context, &Init);
}

class Extended : public testing::TestWithParam<bool> {
protected:
  int run(void (*Role)()) { return runRole({GetParam(), 3}, Role); }
};

TEST_P(Extended, CompletionsAreReadOneByOne) {
  EXPECT_EQ(run([] {
              Device D;
              ibv_cq_ex *Cq = create(D, IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM |
                                            IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
                                            IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
              CHECK(Cq);
              D.Cq = ibv_cq_ex_to_cq(Cq);
              ibv_qp *Qp = loopback(D);
              ibv_mr *Mr = D.offer(Here, sizeof Here);
              ibv_poll_cq_attr None = {};
              CHECK(ibv_start_poll(Cq, &None) == ENOENT);
              ibv_sge Sge = {reinterpret_cast<uint64_t>(There), 16, D.offer(There, sizeof There)->lkey};
              ibv_recv_wr Receive = {5, nullptr, &Sge, 1}, *Bad;
              CHECK(ibv_post_recv(Qp, &Receive, &Bad) == 0);
              uint64_t Before = now(), WallBefore = now(CLOCK_REALTIME);
              Work Send(IBV_WR_SEND_WITH_IMM, Mr, Here, 16, Address{});
              Send.Wr.wr_id = 6;
              Send.Wr.imm_data = 9;
              CHECK(Send.post(Qp) == 0);
              for (int Seen = 0; Seen < 2;) {
                if (ibv_start_poll(Cq, &None) == ENOENT)
                  continue;
                do {
                  CHECK(Cq->status == IBV_WC_SUCCESS && ibv_wc_read_qp_num(Cq) == Qp->qp_num);
                  bool IsReceive = ibv_wc_read_opcode(Cq) == IBV_WC_RECV;
                  CHECK(Cq->wr_id == (IsReceive ? 5u : 6u));
                  CHECK(ibv_wc_read_byte_len(Cq) == 16);
                  CHECK(!IsReceive ||
                        (ibv_wc_read_imm_data(Cq) == 9 && ibv_wc_read_wc_flags(Cq) == IBV_WC_WITH_IMM));
                  CHECK(ibv_wc_read_completion_ts(Cq) >= Before && ibv_wc_read_completion_ts(Cq) <= now());
                  uint64_t Wall = ibv_wc_read_completion_wallclock_ns(Cq), Slack = 1000000;
                  CHECK(Wall + Slack >= WallBefore && Wall <= now(CLOCK_REALTIME) + Slack);
                  ++Seen;
                } while (ibv_next_poll(Cq) == 0);
                ibv_end_poll(Cq);
              }
              CHECK(ibv_start_poll(Cq, &None) == ENOENT);
              CHECK(ibv_destroy_qp(Qp) == 0 && ibv_destroy_cq(D.Cq) == 0);
            }),
            0);
}

/// The old place and the old key are gone, the new ones hold.
TEST_P(Extended, ReregisteredMemory) {
  EXPECT_EQ(run([] {
              static uint64_t Elsewhere[1024];
              Device D;
              ibv_qp *Qp = loopback(D), *Wrong = loopback(D);
              ibv_mr *Mr = D.offer(Here, sizeof Here), *Moved = D.offer(There, sizeof There);
              Address Old = addressOf(D, Qp, Moved);
              Here[0] = 5;
              CHECK(ibv_rereg_mr(Moved, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, Elsewhere, sizeof Elsewhere,
                                 0) == 0);
              CHECK(Moved->addr == Elsewhere && Moved->length == sizeof Elsewhere);
              CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here, 8, addressOf(D, Qp, Moved), 8000).post(Qp) == 0);
              CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
              rdma_flush(Qp);
              CHECK(Elsewhere[1000] == 5);
              CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here, 8, Old).post(Wrong) == 0);
              CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR && There[0] == 0);
              CHECK(ibv_rereg_mr(Moved, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0,
                                 IBV_ACCESS_REMOTE_READ) == 0);
              CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here, 8, addressOf(D, Qp, Moved)).post(Qp) == 0);
              CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Extended, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

/// What is in the queue stays, also when it does not begin at the ring's beginning.
TEST(Resized, QueueKeepsItsCompletions) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D(8);
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *Mr = D.offer(Here, sizeof Here);
                      Address To = addressOf(D, Qp, D.offer(There, sizeof There));
                      uint64_t Next = 0, Posted = 0;
                      auto post = [&](int Count) {
                        for (int I = 0; I < Count; ++I) {
                          Work W(IBV_WR_RDMA_WRITE, Mr, Here, 8, To);
                          W.Wr.wr_id = Posted++;
                          CHECK(W.post(Qp) == 0);
                        }
                      };
                      auto take = [&](int Count) {
                        for (int I = 0; I < Count; ++I)
                          CHECK(awaitCompletion(D.Cq).wr_id == Next++);
                      };
                      post(5), take(5);
                      post(7);
                      CHECK(ibv_resize_cq(D.Cq, 40) == 0 && D.Cq->cqe >= 40);
                      post(33);
                      CHECK(ibv_resize_cq(D.Cq, 8) == EINVAL && D.Cq->cqe >= 40);
                      take(38);
                      CHECK(ibv_resize_cq(D.Cq, 2) == 0 && D.Cq->cqe >= 2);
                      take(2);
                      CHECK(ibv_resize_cq(D.Cq, 0) == EINVAL && ibv_resize_cq(D.Cq, 1 << 30) == EINVAL);
                    }),
            0);
}

TEST(ExtendedErrors, ReregisteredDomain) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_pd *Other = ibv_alloc_pd(D.Context);
                      ibv_mr *Mr = D.offer(Here, sizeof Here);
                      CHECK(ibv_rereg_mr(Mr, IBV_REREG_MR_CHANGE_PD, Other, nullptr, 0, 0) == 0 &&
                            Mr->pd == Other);
                      CHECK(ibv_dealloc_pd(Other) == EBUSY);
                      CHECK(ibv_rereg_mr(Mr, 0, nullptr, nullptr, 0, 0) == IBV_REREG_MR_ERR_INPUT);
                      CHECK(ibv_rereg_mr(Mr, 8, nullptr, nullptr, 0, 0) == IBV_REREG_MR_ERR_INPUT);
                      CHECK(ibv_rereg_mr(Mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr,
                                         reinterpret_cast<void *>(4096), 8, 0) == IBV_REREG_MR_ERR_INPUT &&
                            errno == EFAULT && Mr->addr == Here);
                      CHECK(ibv_dereg_mr(Mr) == 0 && ibv_dealloc_pd(Other) == 0);
                    }),
            0);
}

TEST(ExtendedErrors, ParentDomainsStandForTheirDomain) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_td_init_attr None = {};
                      ibv_td *Thread = ibv_alloc_td(D.Context, &None);
                      ibv_parent_domain_init_attr Init = {};
                      Init.pd = D.Domain;
                      Init.td = Thread;
                      ibv_pd *Parent = ibv_alloc_parent_domain(D.Context, &Init), *Plain = D.Domain;
                      CHECK(Parent && ibv_dealloc_td(Thread) == EBUSY && ibv_dealloc_pd(Plain) == EBUSY);
                      ibv_mr *Mr = D.offer(Here, sizeof Here); // of the plain domain
                      D.Domain = Parent;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *ThereMr = D.offer(There, sizeof There);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here, 8, addressOf(D, Qp, ThereMr)).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                      CHECK(ibv_dealloc_pd(Parent) == EBUSY);
                      CHECK(ibv_destroy_qp(Qp) == 0 && ibv_dereg_mr(ThereMr) == 0 && ibv_dereg_mr(Mr) == 0);
                      CHECK(ibv_dealloc_pd(Parent) == 0 && ibv_dealloc_td(Thread) == 0 &&
                            ibv_dealloc_pd(Plain) == 0);
                      Init.pd = nullptr;
                      CHECK(!ibv_alloc_parent_domain(D.Context, &Init) && errno == EINVAL);
                    }),
            0);
}

TEST(ExtendedErrors, UnreadableCompletions) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      CHECK(!create(D, IBV_WC_EX_WITH_CVLAN) && errno == EOPNOTSUPP);
                      CHECK(!create(D, 0, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) && errno == EOPNOTSUPP);
                      CHECK(create(D, 0, IBV_CREATE_CQ_ATTR_SINGLE_THREADED));
                      CHECK(create(D, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK));
                      ibv_values_ex Values = {};
                      Values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
                      CHECK(ibv_query_rt_values_ex(D.Context, &Values) == 0 && Values.raw_clock.tv_sec > 0);
                    }),
            0);
}

} // namespace

// Requests built with ibv_wr_*.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

using namespace rdma::test;

namespace {

constexpr uint64_t AllOperations = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                                   IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
                                   IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                                   IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

ibv_qp *create(const Device &D, uint64_t Operations, uint32_t Mask = 0) {
  ibv_qp_init_attr_ex Init = {};
  Init.send_cq = Init.recv_cq = D.Cq;
  Init.cap = {8, 8, 4, 4, 64};
  Init.qp_type = IBV_QPT_RC;
  Init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | Mask;
  Init.pd = D.Domain;
  Init.send_ops_flags = Operations;
  Init.create_flags = 1;
  return ibv_create_qp_ex(D.Context, &Init);
}

/// A process with a queue pair to itself.
struct Loop {
  Device D;
  ibv_qp *Qp = create(D, AllOperations);
  ibv_qp_ex *Ex = ibv_qp_to_qp_ex(Qp);
  static inline uint64_t There[4], Here[8];
  ibv_mr *MrThere = D.offer(There, sizeof There), *Mr = D.offer(Here, sizeof Here);
  uint32_t Rkey = MrThere->rkey;

  Loop() {
    connect(Qp, addressOf(D, Qp, nullptr));
    Ex->wr_flags = IBV_SEND_SIGNALED;
  }
  static uint64_t there(int Index) { return reinterpret_cast<uint64_t>(There + Index); }
  void from(int Index, uint32_t Length = 8) {
    ibv_wr_set_sge(Ex, Mr->lkey, reinterpret_cast<uint64_t>(Here + Index), Length);
  }
  void receive(int Index, uint64_t Id) {
    ibv_sge Sge = {reinterpret_cast<uint64_t>(Here + Index), 16, Mr->lkey};
    ibv_recv_wr Wr = {Id, nullptr, &Sge, 1}, *Bad;
    CHECK(ibv_post_recv(Qp, &Wr, &Bad) == 0);
  }
  void expect(uint64_t Id, ibv_wc_opcode Opcode) {
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.status == IBV_WC_SUCCESS);
    CHECK(Wc.wr_id == Id);
    CHECK(Wc.opcode == Opcode);
  }
};

class WorkRequests : public testing::TestWithParam<bool> {
protected:
  int run(void (*Role)()) { return runRole({GetParam(), 5}, Role); }
};

TEST_P(WorkRequests, OneSided) {
  EXPECT_EQ(run([] {
              Loop L;
              L.Here[0] = 7, L.Here[1] = 8;
              ibv_wr_start(L.Ex);
              L.Ex->wr_id = 1;
              ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
              ibv_sge List[2] = {{reinterpret_cast<uint64_t>(L.Here + 1), 8, L.Mr->lkey},
                                 {reinterpret_cast<uint64_t>(L.Here), 8, L.Mr->lkey}};
              ibv_wr_set_sge_list(L.Ex, 2, List);
              L.Ex->wr_id = 2;
              ibv_wr_rdma_read(L.Ex, L.Rkey, L.there(0));
              L.from(2, 16);
              L.Ex->wr_id = 3;
              L.Ex->wr_flags |= IBV_SEND_FENCE;
              ibv_wr_atomic_fetch_add(L.Ex, L.Rkey, L.there(0), 10);
              L.from(4);
              L.Ex->wr_id = 4;
              ibv_wr_atomic_cmp_swp(L.Ex, L.Rkey, L.there(1), 7, 70);
              L.from(5);
              CHECK(ibv_wr_complete(L.Ex) == 0);
              L.expect(1, IBV_WC_RDMA_WRITE);
              L.expect(2, IBV_WC_RDMA_READ);
              L.expect(3, IBV_WC_FETCH_ADD);
              L.expect(4, IBV_WC_COMP_SWAP);
              rdma_flush(L.Qp);
              CHECK(L.There[0] == 18 && L.There[1] == 70);
              CHECK(L.Here[2] == 8 && L.Here[3] == 7 && L.Here[4] == 8 && L.Here[5] == 7);
            }),
            0);
}

TEST_P(WorkRequests, MessagesAndImmediates) {
  EXPECT_EQ(run([] {
              Loop L;
              for (int I = 0; I < 3; ++I)
                L.receive(2 + 2 * I, 10 + static_cast<uint64_t>(I));
              L.Here[0] = 5, L.Here[1] = 6;
              L.Ex->wr_flags = 0; // only the receives complete
              ibv_wr_start(L.Ex);
              ibv_wr_send(L.Ex);
              L.from(0, 16);
              ibv_wr_send_imm(L.Ex, 77);
              L.from(1);
              ibv_wr_rdma_write_imm(L.Ex, L.Rkey, L.there(2), 78);
              L.from(0);
              CHECK(ibv_wr_complete(L.Ex) == 0);
              ibv_wc Wc = awaitCompletion(L.D.Cq);
              CHECK(Wc.wr_id == 10 && Wc.opcode == IBV_WC_RECV && Wc.byte_len == 16 && !Wc.wc_flags);
              Wc = awaitCompletion(L.D.Cq);
              CHECK(Wc.wr_id == 11 && Wc.opcode == IBV_WC_RECV && Wc.imm_data == 77);
              Wc = awaitCompletion(L.D.Cq);
              CHECK(Wc.wr_id == 12 && Wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && Wc.imm_data == 78);
              CHECK(L.Here[2] == 5 && L.Here[3] == 6 && L.Here[4] == 6 && L.There[2] == 5);
            }),
            0);
}

/// The setter copies: the buffers are free at once, and need no key.
TEST_P(WorkRequests, InlineDataIsCopiedBySetters) {
  EXPECT_EQ(run([] {
              Loop L;
              char One[] = "abc", Two[] = "defgh", All[9] = {};
              ibv_data_buf Parts[] = {{One, 3}, {Two, 5}};
              ibv_wr_start(L.Ex);
              ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
              ibv_wr_set_inline_data_list(L.Ex, 2, Parts);
              ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(1));
              ibv_wr_set_inline_data(L.Ex, Two, 5);
              memset(One, 'X', 3), memset(Two, 'X', 5);
              CHECK(ibv_wr_complete(L.Ex) == 0);
              L.expect(0, IBV_WC_RDMA_WRITE), L.expect(0, IBV_WC_RDMA_WRITE);
              rdma_flush(L.Qp);
              memcpy(All, L.There, 8);
              CHECK(!strcmp(All, "abcdefgh"));
              memcpy(All, L.There + 1, 8);
              CHECK(!strcmp(All, "defgh"));
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, WorkRequests, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

TEST(WorkRequestErrors, WhatIsAbortedIsNotPosted) {
  EXPECT_EQ(runRole({},
                    [] {
                      Loop L;
                      L.Here[0] = 1;
                      ibv_wr_start(L.Ex);
                      ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                      L.from(0);
                      ibv_wr_abort(L.Ex);
                      ibv_wr_start(L.Ex);
                      CHECK(ibv_wr_complete(L.Ex) == 0);
                      ibv_wc Wc;
                      CHECK(ibv_poll_cq(L.D.Cq, 1, &Wc) == 0 && L.There[0] == 0);
                    }),
            0);
}

/// All or nothing: a batch with a request that cannot be posted leaves no trace, and the next one is good.
TEST(WorkRequestErrors, BadBatchesPostNothing) {
  EXPECT_EQ(runRole({},
                    [] {
                      static Loop L;
                      auto expectError = [](int Error, void (*Bad)()) {
                        ibv_wr_start(L.Ex);
                        ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                        L.from(0);
                        Bad();
                        CHECK(ibv_wr_complete(L.Ex) == Error);
                        ibv_wc Wc;
                        CHECK(ibv_poll_cq(L.D.Cq, 1, &Wc) == 0 && L.There[0] == 0);
                      };
                      L.Here[0] = 1;
                      expectError(EINVAL, [] { // more than max_inline_data
                        static char Large[2048];
                        ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                        ibv_wr_set_inline_data(L.Ex, Large, sizeof Large);
                      });
                      expectError(EINVAL, [] { // more than max_send_sge
                        ibv_sge List[5] = {};
                        ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                        ibv_wr_set_sge_list(L.Ex, 5, List);
                      });
                      expectError(EINVAL, [] { // results cannot go into inline data
                        ibv_wr_rdma_read(L.Ex, L.Rkey, L.there(0));
                        ibv_wr_set_inline_data(L.Ex, L.Here, 8);
                      });
                      expectError(EOPNOTSUPP, [] { ibv_wr_send_tso(L.Ex, L.Here, 8, 1); });
                      expectError(ENOMEM, [] {
                        for (int I = 0; I < 8; ++I) {
                          ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                          L.from(0);
                        }
                      });
                      ibv_wr_start(L.Ex);
                      ibv_wr_rdma_write(L.Ex, L.Rkey, L.there(0));
                      L.from(0);
                      CHECK(ibv_wr_complete(L.Ex) == 0);
                      L.expect(0, IBV_WC_RDMA_WRITE);
                      CHECK(L.There[0] == 1);
                    }),
            0);
}

TEST(WorkRequestErrors, Creation) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      CHECK(!create(D, AllOperations | IBV_QP_EX_WITH_TSO) && errno == EOPNOTSUPP);
                      CHECK(!create(D, AllOperations, IBV_QP_INIT_ATTR_CREATE_FLAGS) && errno == EOPNOTSUPP);
                      CHECK(!ibv_qp_to_qp_ex(D.queuePair())); // created without send_ops_flags
                      ibv_qp_ex *Ex = ibv_qp_to_qp_ex(create(D, IBV_QP_EX_WITH_SEND));
                      ibv_wr_start(Ex);
                      ibv_wr_send(Ex);
                      CHECK(ibv_wr_complete(Ex) == EINVAL); // not connected
                      connect(&Ex->qp_base, addressOf(D, &Ex->qp_base, nullptr));
                      ibv_wr_start(Ex);
                      ibv_wr_rdma_write(Ex, 1, 0);
                      CHECK(ibv_wr_complete(Ex) == EOPNOTSUPP); // not asked for
                    }),
            0);
}

} // namespace

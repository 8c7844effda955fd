// What the queues hold, what the states allow, and what may be freed.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <sys/mman.h>

using namespace rdma::test;

namespace {

TEST(Limits, BadRequestOfAListIsNamed) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_qp *Qp = loopback(D, 4);
                      ibv_mr *Mr = D.offer(&Here, 8);
                      Work W(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Mr));
                      ibv_send_wr List[6], *Bad = nullptr;
                      auto chain = [&] {
                        for (int I = 0; I < 6; ++I) {
                          List[I] = W.Wr;
                          List[I].sg_list = &W.Sge;
                          List[I].next = I < 5 ? &List[I + 1] : nullptr;
                        }
                      };
                      chain();
                      CHECK(ibv_post_send(Qp, List, &Bad) == ENOMEM && Bad == &List[4]);
                      for (int I = 0; I < 4; ++I)
                        CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS); // what came before was posted
                      auto expectInvalid = [&](auto Spoil) {
                        chain();
                        Spoil(List[2]);
                        CHECK(ibv_post_send(Qp, List, &Bad) == EINVAL && Bad == &List[2]);
                        for (int I = 0; I < 2; ++I)
                          CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                      };
                      expectInvalid([](ibv_send_wr &Wr) { Wr.num_sge = 100; });
                      expectInvalid([](ibv_send_wr &Wr) { Wr.opcode = IBV_WR_TSO; });
                      expectInvalid([](ibv_send_wr &Wr) { Wr.opcode = static_cast<ibv_wr_opcode>(15); });
                      expectInvalid([](ibv_send_wr &Wr) {
                        Wr.opcode = IBV_WR_RDMA_READ;
                        Wr.send_flags |= IBV_SEND_INLINE;
                      });
                      expectInvalid([](ibv_send_wr &Wr) { // more than the queue pair takes
                        static ibv_sge Large;
                        Large = *Wr.sg_list;
                        Large.length = 1 << 20;
                        Wr.sg_list = &Large;
                        Wr.send_flags |= IBV_SEND_INLINE;
                      });
                    }),
            0);
}

TEST(Limits, BothQueriesSayTheSame) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_device_attr Attr = {};
                      ibv_device_attr_ex Extended = {};
                      CHECK(ibv_query_device(D.Context, &Attr) == 0);
                      CHECK(ibv_query_device_ex(D.Context, nullptr, &Extended) == 0);
                      CHECK(Attr.device_cap_flags && Extended.device_cap_flags_ex == Attr.device_cap_flags);
                      CHECK(Extended.orig_attr.max_qp == Attr.max_qp);
                    }),
            0);
}

TEST(Limits, FullReceiveQueues) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_mr *Mr = D.offer(&Here, 8);
                      ibv_sge Sge = {reinterpret_cast<uint64_t>(&Here), 8, Mr->lkey};
                      ibv_recv_wr List[6], *Bad = nullptr;
                      for (int I = 0; I < 6; ++I)
                        List[I] = {static_cast<uint64_t>(I), I < 5 ? &List[I + 1] : nullptr, &Sge, 1};
                      ibv_qp *Qp = D.queuePair(4);
                      CHECK(ibv_post_recv(Qp, List, &Bad) == EINVAL && Bad == List); // in the reset state
                      toInit(Qp);
                      CHECK(ibv_post_recv(Qp, List, &Bad) == ENOMEM && Bad == &List[4]);
                      ibv_srq_init_attr Init = {};
                      Init.attr = {3, 1, 0};
                      ibv_srq *Srq = ibv_create_srq(D.Domain, &Init);
                      uint32_t Room = Init.attr.max_wr;
                      CHECK(Room >= 3 && Room < 6);
                      CHECK(ibv_post_srq_recv(Srq, List, &Bad) == ENOMEM && Bad == &List[Room]);
                      List[0].num_sge = 100;
                      CHECK(ibv_post_srq_recv(Srq, List, &Bad) == EINVAL && Bad == List);
                    }),
            0);
}

/// A receive is outstanding until the program has taken its completion, not only until a message has.
TEST(Limits, ReceivesKeepTheirRoomUntilTheyAreTaken) {
  for (bool IsWeak : {false, true})
    EXPECT_EQ(runRole({IsWeak, 3},
                      [] {
                        static uint64_t Here;
                        Device D;
                        ibv_qp *Qp = loopback(D, 4);
                        ibv_mr *Mr = D.offer(&Here, 8);
                        ibv_sge Sge = {reinterpret_cast<uint64_t>(&Here), 8, Mr->lkey};
                        auto post = [&] {
                          ibv_recv_wr Wr = {0, nullptr, &Sge, 1}, *Bad;
                          return ibv_post_recv(Qp, &Wr, &Bad);
                        };
                        auto isTaken = [&] {
                          ibv_wc Wc = awaitCompletion(D.Cq);
                          CHECK(Wc.status == IBV_WC_SUCCESS || Wc.status == IBV_WC_WR_FLUSH_ERR);
                          return Wc.opcode == IBV_WC_RECV;
                        };
                        for (int Round = 0; Round < 3; ++Round) {
                          for (int I = 0; I < 4; ++I)
                            CHECK(post() == 0);
                          CHECK(Work(IBV_WR_SEND, Mr, &Here, 8, {}, 0, 0).post(Qp) == 0);
                          usleep(5000); // it has come, in all likelihood
                          CHECK(post() == ENOMEM);
                          while (!isTaken()) {
                          }
                          CHECK(post() == 0 && post() == ENOMEM);
                          ibv_qp_attr A = {};
                          if (Round == 1) { // what is flushed counts alike
                            A.qp_state = IBV_QPS_ERR;
                            CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE) == 0 && post() == ENOMEM);
                            while (!isTaken()) {
                            }
                            CHECK(post() == 0);
                          }
                          A.qp_state = IBV_QPS_RESET; // what is forgotten leaves all of the room
                          CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE) == 0);
                          connect(Qp, addressOf(D, Qp, nullptr));
                        }
                      }),
              0);
}

/// The queue of completions is too small: it fails, the queue pairs that complete there fail, and the program
/// is told of both.
TEST(Limits, OverrunCompletionQueue) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D(4);
                      ibv_qp *Qp = loopback(D, 16);
                      ibv_mr *Mr = D.offer(&Here, 8);
                      Work W(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Mr));
                      int Room = D.Cq->cqe;
                      for (int I = 0; I <= Room; ++I)
                        CHECK(W.post(Qp) == 0);
                      ibv_async_event Event;
                      CHECK(ibv_get_async_event(D.Context, &Event) == 0);
                      CHECK(Event.event_type == IBV_EVENT_CQ_ERR && Event.element.cq == D.Cq);
                      CHECK(ibv_get_async_event(D.Context, &Event) == 0);
                      CHECK(Event.event_type == IBV_EVENT_QP_FATAL && Event.element.qp == Qp);
                      ibv_qp_attr A;
                      ibv_qp_init_attr Init;
                      CHECK(ibv_query_qp(Qp, &A, IBV_QP_STATE, &Init) == 0 && A.qp_state == IBV_QPS_ERR);
                      ibv_wc Wc;
                      for (int I = 0; I < Room; ++I)
                        CHECK(ibv_poll_cq(D.Cq, 1, &Wc) == 1);
                      CHECK(ibv_poll_cq(D.Cq, 1, &Wc) < 0);
                    }),
            0);
}

TEST(Limits, ObjectsInUseAreNotFreed) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
                      ibv_cq *Second = ibv_create_cq(D.Context, 4, nullptr, Channel, 0);
                      ibv_srq_init_attr Shared = {};
                      Shared.attr = {3, 1, 0};
                      ibv_srq *Srq = ibv_create_srq(D.Domain, &Shared);
                      ibv_qp_init_attr Init = {};
                      Init.send_cq = D.Cq;
                      Init.recv_cq = Second;
                      Init.srq = Srq;
                      Init.cap = {4, 4, 1, 1, 0};
                      Init.qp_type = IBV_QPT_RC;
                      ibv_qp *Qp = ibv_create_qp(D.Domain, &Init);
                      CHECK(Qp && ibv_destroy_srq(Srq) == EBUSY && ibv_destroy_cq(Second) == EBUSY);
                      CHECK(ibv_destroy_cq(D.Cq) == EBUSY && ibv_destroy_comp_channel(Channel) == EBUSY);
                      CHECK(ibv_destroy_qp(Qp) == 0 && ibv_destroy_cq(Second) == 0 &&
                            ibv_destroy_cq(D.Cq) == 0);
                      CHECK(ibv_destroy_comp_channel(Channel) == 0);
                      CHECK(ibv_dealloc_pd(D.Domain) == EBUSY && ibv_destroy_srq(Srq) == 0);
                      ibv_mr *Mr = D.offer(&Here, 8);
                      CHECK(ibv_dealloc_pd(D.Domain) == EBUSY && ibv_dereg_mr(Mr) == 0);
                      CHECK(ibv_dealloc_pd(D.Domain) == 0);
                    }),
            0);
}

TEST(Limits, WhatCannotBeCreated) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      auto refused = [&](int Error, auto Spoil) {
                        ibv_qp_init_attr Init = {};
                        Init.send_cq = Init.recv_cq = D.Cq;
                        Init.cap = {4, 4, 1, 1, 0};
                        Init.qp_type = IBV_QPT_RC;
                        Spoil(Init);
                        errno = 0;
                        return !ibv_create_qp(D.Domain, &Init) && errno == Error;
                      };
                      CHECK(refused(EINVAL, [](auto &Init) { Init.send_cq = nullptr; }));
                      CHECK(refused(EINVAL, [](auto &Init) { Init.cap.max_send_wr = 1 << 30; }));
                      CHECK(refused(EINVAL, [](auto &Init) { Init.cap.max_recv_sge = 1000; }));
                      CHECK(refused(EOPNOTSUPP, [](auto &Init) { Init.qp_type = IBV_QPT_RAW_PACKET; }));
                      CHECK(refused(EINVAL, [](auto &Init) { Init.qp_type = IBV_QPT_XRC_RECV; }));
                      CHECK(!ibv_create_cq(D.Context, 0, nullptr, nullptr, 0) && errno == EINVAL);
                      CHECK(!ibv_create_cq(D.Context, 8, nullptr, nullptr, 99) && errno == EINVAL);
                      int Remote = IBV_ACCESS_REMOTE_WRITE; // without the local right
                      CHECK(!ibv_reg_mr(D.Domain, &Here, 8, Remote) && errno == EINVAL);
                      CHECK(!ibv_alloc_mw(D.Domain, static_cast<ibv_mw_type>(3)) && errno == EINVAL);
                      // Addresses of peers that are not a number of pages away from the program's.
                      uint64_t Elsewhere = reinterpret_cast<uint64_t>(&Here) + 8192;
                      int Local = IBV_ACCESS_LOCAL_WRITE;
                      CHECK(!ibv_reg_mr_iova(D.Domain, &Here, 8, Elsewhere + 8, Local) && errno == EINVAL);
                      CHECK(ibv_reg_mr_iova(D.Domain, &Here, 8, Elsewhere, Local));
                    }),
            0);
}

/// What two contexts of one device have made does not go together, as for the kernel, which knows objects by
/// their number in a context.
TEST(Limits, ObjectsOfAnotherContext) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D, Other;
                      auto refused = [&](auto Spoil) {
                        ibv_qp_init_attr Init = {};
                        Init.send_cq = Init.recv_cq = D.Cq;
                        Init.cap = {4, 4, 1, 1, 0};
                        Init.qp_type = IBV_QPT_RC;
                        Spoil(Init);
                        errno = 0;
                        return !ibv_create_qp(D.Domain, &Init) && errno == EINVAL;
                      };
                      CHECK(!refused([](auto &) {}));
                      CHECK(refused([&](auto &Init) { Init.send_cq = Other.Cq; }));
                      CHECK(refused([&](auto &Init) { Init.recv_cq = Other.Cq; }));
                      CHECK(refused([&](auto &Init) {
                        ibv_srq_init_attr Shared = {};
                        Shared.attr = {3, 1, 0};
                        Init.srq = ibv_create_srq(Other.Domain, &Shared);
                      }));
                      ibv_comp_channel *Channel = ibv_create_comp_channel(Other.Context);
                      CHECK(!ibv_create_cq(D.Context, 4, nullptr, Channel, 0) && errno == EINVAL);
                      CHECK(ibv_destroy_comp_channel(Channel) == 0);
                    }),
            0);
}

TEST(Limits, AsManyQueuePairsAsItSays) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      ibv_device_attr Attr;
                      CHECK(ibv_query_device(D.Context, &Attr) == 0);
                      auto create = [&] {
                        ibv_qp_init_attr Init = {};
                        Init.send_cq = Init.recv_cq = D.Cq;
                        Init.qp_type = IBV_QPT_RC;
                        return ibv_create_qp(D.Domain, &Init);
                      };
                      ibv_qp *Last = nullptr;
                      for (int I = 0; I < Attr.max_qp; ++I)
                        CHECK((Last = create()));
                      CHECK(!create() && errno == ENOMEM);
                      uint32_t Number = Last->qp_num;
                      CHECK(ibv_destroy_qp(Last) == 0);
                      CHECK((Last = create()) && Last->qp_num != Number && !create());
                    }),
            0);
}

TEST(Limits, FullSendQueue) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_qp *Qp = loopback(D, 4);
                      ibv_mr *Mr = D.offer(&Here, 8);
                      Work W(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Mr));
                      for (int I = 0; I < 4; ++I)
                        CHECK(W.post(Qp) == 0);
                      CHECK(W.post(Qp) == ENOMEM);
                      awaitCompletion(D.Cq);
                      CHECK(W.post(Qp) == 0);
                    }),
            0);
}

TEST(Limits, WrongStates) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_qp *Qp = D.queuePair();
                      ibv_mr *Mr = D.offer(&Here, 8);
                      Work W(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Mr));
                      CHECK(W.post(Qp) == EINVAL);
                      ibv_qp_attr A = {};
                      A.qp_state = IBV_QPS_RTS;
                      CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE) == EINVAL);
                      A.qp_state = IBV_QPS_INIT;
                      A.port_num = 1;
                      CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE | IBV_QP_PORT) == EINVAL); // no key, no rights
                    }),
            0);
}

/// The kernel pins pages for what the region allows.
TEST(Limits, ReadOnlyMemoryIsNotOfferedForWriting) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      void *Page = mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                      CHECK(!ibv_reg_mr(D.Domain, Page, 8, (int)IBV_ACCESS_LOCAL_WRITE) && errno == EFAULT);
                      ibv_mr *Mr = D.offer(Page, 8192, IBV_ACCESS_REMOTE_READ);
                      CHECK(ibv_rereg_mr(Mr, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0,
                                         IBV_ACCESS_LOCAL_WRITE) != 0 &&
                            errno == EFAULT);
                      CHECK(mprotect(Page, 4096, PROT_READ | PROT_WRITE) == 0);
                      D.offer(Page, 4096);
                      CHECK(!ibv_reg_mr(D.Domain, Page, 4097, (int)IBV_ACCESS_LOCAL_WRITE) &&
                            errno == EFAULT);
                    }),
            0);
}

TEST(Limits, UnmappedMemoryIsRefused) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      CHECK(!ibv_reg_mr(D.Domain, reinterpret_cast<void *>(4096), 4096,
                                        (int)IBV_ACCESS_LOCAL_WRITE));
                      CHECK(errno == EFAULT);
                    }),
            0);
}

} // namespace

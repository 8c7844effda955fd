// Queue pairs of type UD: the header before the data, keys, addresses, and what is dropped.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <barrier>
#include <cerrno>
#include <cstring>
#include <endian.h>
#include <thread>
#include <utility>
#include <vector>

using namespace rdma::test;

namespace {

constexpr uint32_t Qkey = 0x1234;
constexpr size_t Header = sizeof(ibv_grh);

/// A queue pair that sends to itself.
struct Datagrams {
  Device D;
  ibv_qp *Qp = create();
  char Sent[64] = "a datagram", Received[Header + 64] = {};
  ibv_mr *MrSent = D.offer(Sent, sizeof Sent), *MrReceived = D.offer(Received, sizeof Received);
  uint16_t Lid = addressOf(D, Qp, nullptr).Lid;

  ibv_qp *create() const {
    ibv_qp_init_attr Init = {};
    Init.send_cq = Init.recv_cq = D.Cq;
    Init.qp_type = IBV_QPT_UD;
    Init.cap = {16, 16, 2, 2, 64};
    ibv_qp *Made = ibv_create_qp(D.Domain, &Init);
    CHECK(Made);
    ibv_qp_attr A = {};
    A.qp_state = IBV_QPS_INIT;
    A.port_num = 1;
    A.qkey = Qkey;
    CHECK(!ibv_modify_qp(Made, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
    A.qp_state = IBV_QPS_RTR;
    CHECK(!ibv_modify_qp(Made, &A, IBV_QP_STATE));
    A.qp_state = IBV_QPS_RTS;
    CHECK(!ibv_modify_qp(Made, &A, IBV_QP_STATE | IBV_QP_SQ_PSN));
    return Made;
  }

  ibv_ah *address(bool Global = false) {
    ibv_ah_attr Attr = {};
    Attr.port_num = 1;
    Attr.dlid = Lid;
    if (Global) {
      Attr.is_global = 1;
      CHECK(!ibv_query_gid(D.Context, 1, 0, &Attr.grh.dgid));
    }
    ibv_ah *Ah = ibv_create_ah(D.Domain, &Attr);
    CHECK(Ah);
    return Ah;
  }

  void postReceive(uint32_t Size = Header + 64, uint64_t Id = 0) {
    ibv_sge Sge = {reinterpret_cast<uint64_t>(Received), Size, MrReceived->lkey};
    ibv_recv_wr Wr = {}, *Bad;
    Wr.wr_id = Id;
    Wr.sg_list = &Sge;
    Wr.num_sge = 1;
    CHECK(ibv_post_recv(Qp, &Wr, &Bad) == 0);
  }

  int send(ibv_ah *Ah, uint32_t Number, uint32_t Key = Qkey, ibv_wr_opcode Opcode = IBV_WR_SEND) {
    return sendFrom(Qp, Ah, Number, Key, Opcode);
  }
  int sendFrom(ibv_qp *From, ibv_ah *Ah, uint32_t Number, uint32_t Key = Qkey,
               ibv_wr_opcode Opcode = IBV_WR_SEND) {
    ibv_sge Sge = {reinterpret_cast<uint64_t>(Sent), 11, MrSent->lkey};
    ibv_send_wr Wr = {}, *Bad;
    Wr.sg_list = &Sge;
    Wr.num_sge = 1;
    Wr.opcode = Opcode;
    Wr.imm_data = htobe32(77);
    Wr.send_flags = IBV_SEND_SIGNALED;
    Wr.wr.ud = {Ah, Number, Key};
    return ibv_post_send(From, &Wr, &Bad);
  }

  /// Whether there is a completion of a receive beside the sender's, which says nothing of the receiver.
  bool arrives(ibv_wc *To = nullptr) {
    bool Received = false;
    ibv_wc Wc = awaitCompletion(D.Cq);
    do {
      CHECK(Wc.status == IBV_WC_SUCCESS && (Wc.opcode == IBV_WC_SEND || Wc.opcode == IBV_WC_RECV));
      if (Wc.opcode == IBV_WC_RECV) {
        Received = true;
        if (To)
          *To = Wc;
      }
    } while (ibv_poll_cq(D.Cq, 1, &Wc) == 1);
    return Received;
  }
};

TEST(Datagram, ComesBehindItsHeader) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      U.postReceive();
                      CHECK(U.send(U.address(true), U.Qp->qp_num, Qkey, IBV_WR_SEND_WITH_IMM) == 0);
                      ibv_wc Wc;
                      CHECK(U.arrives(&Wc));
                      CHECK(Wc.byte_len == Header + 11 && Wc.src_qp == U.Qp->qp_num && Wc.slid == U.Lid);
                      CHECK(Wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM) && Wc.imm_data == htobe32(77));
                      CHECK(!strcmp(U.Received + Header, "a datagram"));
                      // Whoever got it can answer.
                      ibv_ah *Back =
                          ibv_create_ah_from_wc(U.D.Domain, &Wc, reinterpret_cast<ibv_grh *>(U.Received), 1);
                      // Of the same class, by the way it came.
                      ibv_grh Grh = *reinterpret_cast<ibv_grh *>(U.Received);
                      Grh.version_tclass_flow = htobe32(6u << 28 | 0x5a << 20 | 0x12345);
                      Wc.dlid_path_bits = 3;
                      ibv_ah_attr Way;
                      CHECK(ibv_init_ah_from_wc(U.D.Context, 1, &Wc, &Grh, &Way) == 0);
                      CHECK(Way.grh.traffic_class == 0x5a && Way.grh.flow_label == 0x12345);
                      CHECK(Way.src_path_bits == 3);
                      U.postReceive();
                      CHECK(Back && U.send(Back, Wc.src_qp) == 0 && U.arrives());
                      CHECK(ibv_destroy_ah(Back) == 0);
                    }),
            0);
}

TEST(Datagram, IsDroppedWithoutAWord) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      ibv_ah *Ah = U.address();
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0 && !U.arrives()); // no receive is posted
                      U.postReceive();
                      CHECK(U.send(Ah, U.Qp->qp_num, Qkey + 1) == 0 && !U.arrives()); // another key
                      CHECK(U.send(Ah, U.Qp->qp_num + 1) == 0 && !U.arrives());       // no such queue pair
                      ibv_ah_attr Nowhere = {};
                      Nowhere.port_num = 1;
                      Nowhere.dlid = 0x7777;
                      ibv_ah *Lost = ibv_create_ah(U.D.Domain, &Nowhere);
                      CHECK(U.send(Lost, U.Qp->qp_num) == 0 && !U.arrives()); // no such node
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0 && U.arrives());
                    }),
            0);
}

/// As hardware, which copies the address into the request.
TEST(Datagram, OutlivesItsAddressHandle) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      ibv_qp_attr A = {};
                      A.qp_state = IBV_QPS_SQD;
                      CHECK(ibv_modify_qp(U.Qp, &A, IBV_QP_STATE) == 0);
                      ibv_ah *Ah = U.address();
                      U.postReceive();
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0 && ibv_destroy_ah(Ah) == 0);
                      U.Lid = 0x7777;
                      CHECK(U.address()); // of nowhere, in the memory of the first
                      A.qp_state = IBV_QPS_RTS;
                      CHECK(ibv_modify_qp(U.Qp, &A, IBV_QP_STATE) == 0 && U.arrives());
                    }),
            0);
}

ibv_qp_state stateOf(ibv_qp *Qp) {
  ibv_qp_attr A;
  ibv_qp_init_attr Init;
  CHECK(ibv_query_qp(Qp, &A, IBV_QP_STATE, &Init) == 0);
  return A.qp_state;
}

/// A request that fails here stops the send queue, no more: receives go on, and the program mends it.
TEST(Datagram, SendQueueAloneStopsAtAnError) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      ibv_qp *Other = U.create();
                      ibv_ah *Ah = U.address();
                      U.postReceive();
                      uint32_t Key = std::exchange(U.MrSent->lkey, 0xbad);
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0);
                      CHECK(awaitCompletion(U.D.Cq).status == IBV_WC_LOC_PROT_ERR);
                      U.MrSent->lkey = Key;
                      CHECK(stateOf(U.Qp) == IBV_QPS_SQE);
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0);
                      CHECK(awaitCompletion(U.D.Cq).status == IBV_WC_WR_FLUSH_ERR);
                      CHECK(U.sendFrom(Other, Ah, U.Qp->qp_num) == 0 && U.arrives());
                      ibv_qp_attr A = {};
                      A.qp_state = IBV_QPS_RTS;
                      CHECK(ibv_modify_qp(U.Qp, &A, IBV_QP_STATE | IBV_QP_SQ_PSN) == EINVAL);
                      CHECK(ibv_modify_qp(U.Qp, &A, IBV_QP_STATE) == 0);
                      U.postReceive();
                      CHECK(U.send(Ah, U.Qp->qp_num) == 0 && U.arrives());
                      U.postReceive(); // which the error state flushes
                      A.qp_state = IBV_QPS_ERR;
                      CHECK(ibv_modify_qp(U.Qp, &A, IBV_QP_STATE) == 0);
                      CHECK(awaitCompletion(U.D.Cq).status == IBV_WC_WR_FLUSH_ERR);
                    }),
            0);
}

TEST(Datagram, TakesTheKeyOfTheQueuePair) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      U.postReceive();
                      CHECK(U.send(U.address(), U.Qp->qp_num, 0x80000000) == 0 && U.arrives());
                    }),
            0);
}

TEST(Datagram, QueuePairOfAGroupIsNotFreed) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      ibv_gid Group = {};
                      Group.raw[0] = 0xff;
                      Group.raw[1] = 0x12;
                      CHECK(ibv_attach_mcast(U.Qp, &Group, 0xc001) == 0);
                      CHECK(ibv_destroy_qp(U.Qp) == EBUSY);
                      U.postReceive();
                      CHECK(U.send(U.address(), U.Qp->qp_num) == 0 && U.arrives()); // nothing has changed
                      CHECK(ibv_detach_mcast(U.Qp, &Group, 0xc001) == 0 && ibv_destroy_qp(U.Qp) == 0);
                    }),
            0);
}

TEST(Datagram, RefusesOneSidedRequests) {
  EXPECT_EQ(runRole({},
                    [] {
                      Datagrams U;
                      CHECK(U.send(U.address(), U.Qp->qp_num, Qkey, IBV_WR_RDMA_WRITE) == EINVAL);
                    }),
            0);
}

/// Several senders fill the receives of one queue pair, whose completions come in the order of the receives.
TEST(Datagram, ReceivesCompleteInOrder) {
  EXPECT_EQ(runRole({},
                    [] {
                      constexpr uint64_t Senders = 4, Each = 4, Rounds = 400;
                      Datagrams U;
                      ibv_ah *Ah = U.address();
                      std::vector<ibv_qp *> From;
                      for (uint64_t I = 0; I < Senders; ++I)
                        From.push_back(U.create());
                      std::barrier Begin(Senders + 1);
                      std::vector<std::jthread> Threads;
                      for (ibv_qp *Qp : From)
                        Threads.emplace_back([&, Qp] {
                          for (uint64_t R = 0; R < Rounds; ++R) {
                            Begin.arrive_and_wait();
                            for (uint64_t I = 0; I < Each; ++I)
                              CHECK(U.sendFrom(Qp, Ah, U.Qp->qp_num) == 0);
                          }
                        });
                      for (uint64_t R = 0, Next = 0; R < Rounds; ++R) {
                        for (uint64_t I = 0; I < Senders * Each; ++I)
                          U.postReceive(Header + 64, R * Senders * Each + I);
                        Begin.arrive_and_wait();
                        for (uint64_t Left = 2 * Senders * Each; Left; --Left)
                          if (ibv_wc Wc = awaitCompletion(U.D.Cq); Wc.opcode == IBV_WC_RECV)
                            CHECK(Wc.wr_id == Next++);
                      }
                    }),
            0);
}

} // namespace

// Extended reliable connections: requests that name one of the other side's receive queues.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace rdma::test;

namespace {

const std::pair<int, int> BothGood = {0, 0};

ibv_xrcd *openDomain(const Device &D, int Fd = -1, int Flags = O_CREAT) {
  ibv_xrcd_init_attr Init = {IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, Fd, Flags};
  return ibv_open_xrcd(D.Context, &Init);
}

ibv_srq *createQueue(const Device &D, ibv_xrcd *Xrcd, ibv_pd *Pd, ibv_cq *Cq) {
  ibv_srq_init_attr_ex Init = {};
  Init.attr = {16, 1, 0};
  Init.comp_mask =
      IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
  Init.srq_type = IBV_SRQT_XRC;
  Init.pd = Pd;
  Init.xrcd = Xrcd;
  Init.cq = Cq;
  return ibv_create_srq_ex(D.Context, &Init);
}

void postReceive(ibv_srq *Srq, const ibv_mr *Mr, uint64_t *At, uint64_t Id) {
  ibv_sge Sge = {reinterpret_cast<uint64_t>(At), 8, Mr->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Id;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  CHECK(ibv_post_srq_recv(Srq, &Wr, &Bad) == 0);
}

ibv_qp *createReceiver(const Device &D, ibv_xrcd *Xrcd) {
  ibv_qp_init_attr_ex Init = {};
  Init.qp_type = IBV_QPT_XRC_RECV;
  Init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
  Init.xrcd = Xrcd;
  return ibv_create_qp_ex(D.Context, &Init);
}

ibv_qp *createSender(const Device &D) {
  ibv_qp_init_attr_ex Init = {};
  Init.qp_type = IBV_QPT_XRC_SEND;
  Init.comp_mask = IBV_QP_INIT_ATTR_PD;
  Init.pd = D.Domain;
  Init.send_cq = D.Cq;
  Init.cap = {32, 0, 1, 0, 0};
  return ibv_create_qp_ex(D.Context, &Init);
}

/// Each with what its kind has to be told.
void connectXrc(ibv_qp *Qp, uint16_t Lid, uint32_t Number) {
  bool Sends = Qp->qp_type == IBV_QPT_XRC_SEND;
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_INIT;
  A.port_num = 1;
  A.qp_access_flags = Sends ? 0 : AllAccess;
  CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
  A = {};
  A.qp_state = IBV_QPS_RTR;
  A.path_mtu = IBV_MTU_1024;
  A.dest_qp_num = Number;
  A.ah_attr.dlid = Lid;
  A.ah_attr.port_num = 1;
  A.max_dest_rd_atomic = 4;
  int Mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  CHECK(ibv_modify_qp(Qp, &A, Mask | (Sends ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)) == 0);
  A.qp_state = IBV_QPS_RTS;
  A.timeout = 14;
  A.retry_cnt = A.rnr_retry = 7;
  A.max_rd_atomic = 4;
  Mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN;
  CHECK(ibv_modify_qp(
            Qp, &A, Mask | (Sends ? IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0)) == 0);
}

/// What a side has: two receive queues with completions of their own, the second in a protection domain of
/// its own.
struct Side {
  static inline uint64_t Words[8];
  Device D;
  ibv_xrcd *Xrcd = openDomain(D);
  ibv_pd *OtherPd = ibv_alloc_pd(D.Context);
  ibv_cq *Cqs[2] = {ibv_create_cq(D.Context, 32, nullptr, nullptr, 0),
                    ibv_create_cq(D.Context, 32, nullptr, nullptr, 0)};
  ibv_srq *Srqs[2] = {createQueue(D, Xrcd, D.Domain, Cqs[0]), createQueue(D, Xrcd, OtherPd, Cqs[1])};
  ibv_mr *Mr = D.offer(Words, sizeof Words);
  ibv_mr *OtherMr = ibv_reg_mr(OtherPd, Words, sizeof Words, AllAccess);
  ibv_qp *Sender = createSender(D), *Receiver = createReceiver(D, Xrcd);

  Side() { CHECK(Xrcd && Srqs[0] && Srqs[1] && Sender && Receiver && !Receiver->pd); }
  uint32_t number(int Queue) const {
    uint32_t Number = 0;
    CHECK(ibv_get_srq_num(Srqs[Queue], &Number) == 0 && Number);
    return Number;
  }
};

struct There {
  Address Of; ///< of the queue pair that receives
  uint32_t SenderNumber, OtherKey, Queues[2];
};

There meet(const Line &L, const Side &S) {
  L.tell(
      There{addressOf(S.D, S.Receiver, S.Mr), S.Sender->qp_num, S.OtherMr->rkey, {S.number(0), S.number(1)}});
  auto T = L.hear<There>();
  connectXrc(S.Sender, T.Of.Lid, T.Of.Number);
  connectXrc(S.Receiver, T.Of.Lid, T.SenderNumber);
  L.meet();
  return T;
}

Work to(uint32_t Queue, Work W) {
  W.Wr.qp_type.xrc.remote_srqn = Queue;
  return W;
}

ibv_wc_status outcome(const Side &S, Work W) {
  CHECK(W.post(S.Sender) == 0);
  return awaitCompletion(S.D.Cq).status;
}

class Xrc : public testing::TestWithParam<bool> {
protected:
  void expectGood(const Role &One, const Role &Two) {
    for (unsigned Seed = 1; Seed <= (GetParam() ? 5 : 1); ++Seed)
      EXPECT_EQ(runRoles({GetParam(), Seed}, One, Two), BothGood) << Seed;
  }
};

TEST_P(Xrc, MessagesReachTheQueueThatTheyName) {
  auto Receiver = [](Line L) {
    Side S;
    for (uint64_t I = 0; I < 4; ++I) {
      postReceive(S.Srqs[0], S.Mr, &Side::Words[I], I);
      postReceive(S.Srqs[1], S.OtherMr, &Side::Words[4 + I], 4 + I);
    }
    meet(L, S);
    for (uint64_t I = 0; I < 8; ++I) {
      ibv_wc Wc = awaitCompletion(S.Cqs[I / 4]);
      CHECK(Wc.status == IBV_WC_SUCCESS && Wc.wr_id == I && Wc.qp_num == S.Receiver->qp_num);
      CHECK(Side::Words[I] == 100 + I);
    }
    L.meet();
  };
  auto Sender = [](Line L) {
    Side S;
    There T = meet(L, S);
    for (uint64_t I = 0; I < 8; ++I) // now to the one, now to the other
      Side::Words[I] = 100 + I;
    for (uint64_t I = 0; I < 4; ++I)
      for (uint64_t Queue : {0, 1}) {
        uint64_t *At = &Side::Words[4 * Queue + I];
        CHECK(to(T.Queues[Queue], Work(IBV_WR_SEND, S.Mr, At, 8, Address{})).post(S.Sender) == 0);
      }
    for (int I = 0; I < 8; ++I)
      CHECK(awaitCompletion(S.D.Cq).status == IBV_WC_SUCCESS);
    L.meet();
  };
  expectGood(Receiver, Sender);
}

/// Memory is that of the protection domain of the queue that is named.
TEST_P(Xrc, AccessIsThatOfTheQueue) {
  auto Target = [](Line L) {
    Side S;
    Side::Words[0] = 5;
    meet(L, S);
    L.meet();
  };
  auto Poster = [](Line L) {
    Side S;
    There T = meet(L, S);
    uint64_t *Got = &Side::Words[1];
    Address Other = T.Of;
    Other.Rkey = T.OtherKey;
    CHECK(outcome(S, to(T.Queues[1], Work(IBV_WR_ATOMIC_FETCH_AND_ADD, S.Mr, Got, 8, Other).add(2))) ==
          IBV_WC_SUCCESS);
    CHECK(*Got == 5);
    CHECK(outcome(S, to(T.Queues[0], Work(IBV_WR_RDMA_READ, S.Mr, Got, 8, T.Of))) == IBV_WC_SUCCESS);
    CHECK(*Got == 7);
    CHECK(outcome(S, to(T.Queues[0], Work(IBV_WR_RDMA_READ, S.Mr, Got, 8, Other))) == IBV_WC_REM_ACCESS_ERR);
    L.meet();
  };
  expectGood(Target, Poster);
}

TEST_P(Xrc, QueueThatIsNotThere) {
  for (auto Opcode : {IBV_WR_SEND, IBV_WR_RDMA_WRITE}) {
    auto Target = [](Line L) {
      Side S;
      CHECK(ibv_destroy_srq(S.Srqs[1]) == 0);
      S.Srqs[1] = S.Srqs[0];
      meet(L, S);
      L.meet();
    };
    auto Poster = [=](Line L) {
      Side S;
      There T = meet(L, S);
      CHECK(outcome(S, to(T.Queues[0] + 1, Work(Opcode, S.Mr, Side::Words, 8, T.Of))) ==
            IBV_WC_REM_INV_REQ_ERR);
      L.meet();
    };
    expectGood(Target, Poster);
  }
}

/// The receive queue is empty for a while.
TEST_P(Xrc, MessageWaitsForItsReceive) {
  auto Receiver = [](Line L) {
    Side S;
    postReceive(S.Srqs[0], S.Mr, &Side::Words[0], 0); // not of this queue
    meet(L, S);
    usleep(20000);
    postReceive(S.Srqs[1], S.OtherMr, &Side::Words[1], 1);
    ibv_wc Wc = awaitCompletion(S.Cqs[1]);
    CHECK(Wc.wr_id == 1 && Side::Words[1] == 9 && Side::Words[0] == 0);
    L.meet();
  };
  auto Sender = [](Line L) {
    Side S;
    There T = meet(L, S);
    Side::Words[0] = 9;
    CHECK(outcome(S, to(T.Queues[1], Work(IBV_WR_SEND, S.Mr, Side::Words, 8, Address{}))) == IBV_WC_SUCCESS);
    L.meet();
  };
  expectGood(Receiver, Sender);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Xrc, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

TEST(XrcDomain, OfAFile) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      char Name[] = "/tmp/xrc-XXXXXX";
                      int Fd = mkstemp(Name);
                      CHECK(Fd >= 0 && unlink(Name) == 0);
                      CHECK(!openDomain(D, Fd, 0) && errno == EAGAIN);
                      CHECK(!openDomain(D, -1, 0) && errno == EAGAIN);
                      ibv_xrcd *One = openDomain(D, Fd, O_CREAT), *Same = openDomain(D, Fd, 0);
                      ibv_xrcd *Other = openDomain(D);
                      CHECK(One && Same && Other);
                      CHECK(!openDomain(D, Fd, O_CREAT | O_EXCL) && errno == EINVAL);
                      ibv_srq *Srq = createQueue(D, One, D.Domain, D.Cq);
                      CHECK(Srq && ibv_close_xrcd(One) == EBUSY && ibv_destroy_cq(D.Cq) == EBUSY);
                      ibv_qp *Qp = createReceiver(D, Same);
                      CHECK(Qp && ibv_close_xrcd(Same) == EBUSY);
                      ibv_qp_open_attr Open = {IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
                                                   IBV_QP_OPEN_ATTR_TYPE,
                                               Qp->qp_num, One, nullptr, IBV_QPT_XRC_RECV};
                      ibv_qp *Again = ibv_open_qp(D.Context, &Open);
                      CHECK(Again && Again->qp_num == Qp->qp_num);
                      Open.xrcd = Other;
                      CHECK(!ibv_open_qp(D.Context, &Open) && errno == EINVAL);
                      CHECK(ibv_destroy_qp(Qp) == 0 && ibv_close_xrcd(Same) == EBUSY); // still open
                      CHECK(ibv_destroy_qp(Again) == 0 && ibv_close_xrcd(Same) == 0);
                      CHECK(ibv_destroy_srq(Srq) == 0 && ibv_close_xrcd(One) == 0);
                      CHECK(!openDomain(D, Fd, 0) && errno == EAGAIN);
                    }),
            0);
}

TEST(XrcQueuePair, ThatReceivesIsNotPostedTo) {
  EXPECT_EQ(runRole({},
                    [] {
                      Side S;
                      connectXrc(S.Receiver, addressOf(S.D, S.Receiver, S.Mr).Lid, S.Sender->qp_num);
                      CHECK(Work(IBV_WR_SEND, S.Mr, Side::Words, 0, Address{}).post(S.Receiver) == EINVAL);
                      ibv_recv_wr Receive = {}, *Bad;
                      CHECK(ibv_post_recv(S.Receiver, &Receive, &Bad) == EINVAL);
                      CHECK(ibv_post_recv(S.Sender, &Receive, &Bad) == EINVAL);
                      CHECK(!createReceiver(S.D, nullptr) && errno == EINVAL);
                    }),
            0);
}

} // namespace

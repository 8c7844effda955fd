// Memory windows: what their keys allow, and until when.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <vector>

using namespace rdma::test;

namespace {

constexpr unsigned RegionAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
constexpr unsigned Both = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

/// Of the role that offers memory, which has no right of peers: those come with windows.
struct Owner {
  Device D;
  static inline uint64_t Memory[16];
  uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  ibv_mr *Mr = D.offer(Memory, sizeof Memory, RegionAccess);
  ibv_qp *Qp = D.queuePair();

  ibv_wc_status invalidate(uint32_t Key) const {
    ibv_send_wr Wr = {}, *Bad;
    Wr.opcode = IBV_WR_LOCAL_INV;
    Wr.send_flags = IBV_SEND_SIGNALED;
    Wr.invalidate_rkey = Key;
    CHECK(!ibv_post_send(Qp, &Wr, &Bad));
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.status != IBV_WC_SUCCESS || Wc.opcode == IBV_WC_LOCAL_INV);
    return Wc.status;
  }
  ibv_mw *window(ibv_mw_type Type) const {
    ibv_mw *Mw = ibv_alloc_mw(D.Domain, Type);
    CHECK(Mw);
    return Mw;
  }
  /// Words [First, First + Count) of the memory.
  ibv_mw_bind_info part(int First, uint64_t Count, unsigned Access = Both) const {
    return {Mr, reinterpret_cast<uint64_t>(Memory + First), Count * 8, Access};
  }
  ibv_wc_status bindFirst(ibv_mw *Mw, const ibv_mw_bind_info &Info) const {
    ibv_mw_bind Bind = {1, IBV_SEND_SIGNALED, Info};
    CHECK(!ibv_bind_mw(Qp, Mw, &Bind));
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.status != IBV_WC_SUCCESS || Wc.opcode == IBV_WC_BIND_MW);
    return Wc.status;
  }
  ibv_wc_status bindSecond(ibv_qp *By, uint32_t Key, const ibv_mw_bind_info &Info) const {
    ibv_send_wr Wr = {}, *Bad;
    Wr.opcode = IBV_WR_BIND_MW;
    Wr.send_flags = IBV_SEND_SIGNALED;
    Wr.bind_mw.rkey = Key;
    Wr.bind_mw.bind_info = Info;
    CHECK(!ibv_post_send(By, &Wr, &Bad));
    return awaitCompletion(D.Cq).status;
  }
  /// Makes Count queue pairs and connects them to those of the other role.
  std::vector<ibv_qp *> meet(const Line &L, unsigned Count) {
    std::vector<ibv_qp *> Made = {Qp};
    while (Made.size() < Count)
      Made.push_back(D.queuePair());
    for (ibv_qp *Q : Made)
      meetPeer(L, D, Q, Mr);
    return Made;
  }
};

/// Of the role that uses what is offered.
struct User {
  Device D;
  static inline uint64_t Here[16];
  ibv_mr *Mr = D.offer(Here, sizeof Here);
  std::vector<ibv_qp *> Qps;
  uint64_t There = 0;

  User(const Line &L, unsigned Count = 1) {
    for (unsigned I = 0; I < Count; ++I) {
      Qps.push_back(D.queuePair());
      There = meetPeer(L, D, Qps.back(), Mr).At;
    }
  }
  ibv_wc_status request(unsigned Qp, ibv_wr_opcode Opcode, uint32_t Key, int Word, uint32_t Length = 8,
                        uint64_t From = 0, uint32_t Invalidate = 0) {
    Address To = {0, 0, From ? From - 1 : There, Key};
    Work W(Opcode, Mr, Here, Length, To, static_cast<uint64_t>(Word) * 8);
    if (Opcode == IBV_WR_SEND_WITH_INV)
      W.Wr.invalidate_rkey = Invalidate;
    CHECK(!W.post(Qps[Qp]));
    return awaitCompletion(D.Cq).status;
  }
};

class Windows : public testing::TestWithParam<std::pair<bool, bool>> {
protected:
  void run(const Role &One, const Role &Two) {
    for (unsigned Seed = 1; Seed <= (GetParam().first ? 5u : 1u); ++Seed)
      EXPECT_EQ(runRoles({GetParam().first, Seed, GetParam().second}, One, Two), std::pair(0, 0)) << Seed;
  }
};

/// Of type 1: any queue pair of the domain may come by it, to its part and with its rights; a later bind
/// makes its key another, and one without length none.
TEST_P(Windows, OfTheDomain) {
  run(
      [](Line L) {
        Owner O;
        O.meet(L, 5);
        ibv_mw *Mw = O.window(IBV_MW_TYPE_1), *Reader = O.window(IBV_MW_TYPE_1);
        uint32_t Unbound = Mw->rkey;
        CHECK(O.bindFirst(Mw, O.part(2, 4)) == IBV_WC_SUCCESS);
        CHECK(O.bindFirst(Reader, O.part(0, 16, IBV_ACCESS_REMOTE_READ)) == IBV_WC_SUCCESS);
        uint32_t Old = Mw->rkey;
        CHECK(Old != Unbound && Old != Reader->rkey && Old != O.Mr->rkey);
        L.tell(Old), L.tell(Reader->rkey);
        L.meet(); // it has written and read
        CHECK(ibv_dereg_mr(O.Mr) == EBUSY);
        CHECK(O.bindFirst(Mw, O.part(0, 1)) == IBV_WC_SUCCESS && Mw->rkey != Old);
        L.tell(Mw->rkey);
        L.meet();
        CHECK(O.bindFirst(Mw, {nullptr, 0, 0, 0}) == IBV_WC_SUCCESS);
        L.tell(Mw->rkey);
        L.meet();
        CHECK(!ibv_dealloc_mw(Reader));
        L.meet();
        L.meet();
        CHECK(O.Memory[0] == 9 && O.Memory[2] == 7 && O.Memory[5] == 7 && O.Memory[1] == 0 &&
              O.Memory[6] == 0);
        CHECK(!ibv_dereg_mr(O.Mr) && !ibv_dealloc_mw(Mw));
      },
      [](Line L) {
        User U(L, 5);
        uint32_t Key = L.hear<uint32_t>(), Reader = L.hear<uint32_t>();
        U.Here[0] = 7;
        CHECK(U.request(0, IBV_WR_RDMA_WRITE, Key, 2) == IBV_WC_SUCCESS);
        CHECK(U.request(1, IBV_WR_RDMA_WRITE, Key, 5) == IBV_WC_SUCCESS);
        CHECK(U.request(1, IBV_WR_RDMA_READ, Key, 5) == IBV_WC_SUCCESS && U.Here[0] == 7);
        CHECK(U.request(0, IBV_WR_RDMA_READ, Reader, 2) == IBV_WC_SUCCESS && U.Here[0] == 7);
        CHECK(U.request(1, IBV_WR_RDMA_WRITE, Key, 5, 16) == IBV_WC_REM_ACCESS_ERR); // beyond its end
        CHECK(U.request(2, IBV_WR_RDMA_WRITE, Reader, 3) == IBV_WC_REM_ACCESS_ERR);  // it is for reading
        L.meet();
        uint32_t New = L.hear<uint32_t>();
        U.Here[0] = 9;
        CHECK(U.request(0, IBV_WR_RDMA_WRITE, New, 0) == IBV_WC_SUCCESS);
        CHECK(U.request(0, IBV_WR_RDMA_READ, New, 0) == IBV_WC_SUCCESS);
        CHECK(U.request(3, IBV_WR_RDMA_WRITE, Key, 2) == IBV_WC_REM_ACCESS_ERR); // the key of before
        L.meet();
        uint32_t None = L.hear<uint32_t>();
        CHECK(U.request(4, IBV_WR_RDMA_WRITE, None, 0) == IBV_WC_REM_ACCESS_ERR);
        L.meet();
        L.meet();
        CHECK(U.request(0, IBV_WR_RDMA_READ, Reader, 2) == IBV_WC_REM_ACCESS_ERR); // it is gone
        L.meet();
      });
}

/// Of type 2: only the peer of the queue pair that it was bound by may come by it, until it is invalidated.
TEST_P(Windows, OfAQueuePair) {
  run(
      [](Line L) {
        Owner O;
        std::vector<ibv_qp *> Qps = O.meet(L, 3);
        ibv_mw *Mw = O.window(IBV_MW_TYPE_2);
        uint32_t Key = ibv_inc_rkey(Mw->rkey), Next = ibv_inc_rkey(Key);
        CHECK(O.bindSecond(O.Qp, Key, O.part(2, 4)) == IBV_WC_SUCCESS);
        L.tell(Key);
        L.meet(); // it has written
        CHECK(O.Memory[2] == 7);
        CHECK(O.invalidate(Key) == IBV_WC_SUCCESS);
        unsigned ZeroBased = Both | IBV_ACCESS_ZERO_BASED;
        CHECK(O.bindSecond(Qps[2], Next, O.part(3, 2, ZeroBased)) == IBV_WC_SUCCESS);
        L.tell(Next);
        L.meet();
        CHECK(O.Memory[4] == 8);
        CHECK(O.bindSecond(Qps[2], Key, O.part(3, 2)) == IBV_WC_MW_BIND_ERR); // it is bound
        CHECK(!ibv_dealloc_mw(Mw) && !ibv_dereg_mr(O.Mr));
        L.meet();
      },
      [](Line L) {
        User U(L, 3);
        uint32_t Key = L.hear<uint32_t>();
        U.Here[0] = 7;
        CHECK(U.request(0, IBV_WR_RDMA_WRITE, Key, 2) == IBV_WC_SUCCESS);
        CHECK(U.request(0, IBV_WR_RDMA_READ, Key, 2) == IBV_WC_SUCCESS);
        CHECK(U.request(1, IBV_WR_RDMA_WRITE, Key, 2) == IBV_WC_REM_ACCESS_ERR); // of another queue pair
        L.meet();
        uint32_t Next = L.hear<uint32_t>();
        U.Here[0] = 8;
        CHECK(U.request(2, IBV_WR_RDMA_WRITE, Next, 1, 8, 1) == IBV_WC_SUCCESS); // counted from 0
        CHECK(U.request(2, IBV_WR_RDMA_READ, Next, 1, 8, 1) == IBV_WC_SUCCESS);
        CHECK(U.request(0, IBV_WR_RDMA_WRITE, Key, 2) == IBV_WC_REM_ACCESS_ERR); // invalidated
        L.meet();
        L.meet();
      });
}

/// A message that invalidates: what was written before it is there when it is received, and nothing is
/// written behind it.
TEST_P(Windows, InvalidatedByThePeer) {
  run(
      [](Line L) {
        Owner O;
        std::vector<ibv_qp *> Qps = O.meet(L, 2);
        uint64_t Message[2] = {};
        ibv_mr *Received = O.D.offer(Message, sizeof Message);
        ibv_mw *Mw = O.window(IBV_MW_TYPE_2);
        uint32_t Key = ibv_inc_rkey(Mw->rkey);
        CHECK(O.bindSecond(O.Qp, Key, O.part(0, 16)) == IBV_WC_SUCCESS);
        ibv_sge Sge = {reinterpret_cast<uint64_t>(Message), sizeof Message, Received->lkey};
        ibv_recv_wr Wr = {1, nullptr, &Sge, 1}, *Bad;
        for (ibv_qp *Q : Qps)
          CHECK(!ibv_post_recv(Q, &Wr, &Bad));
        L.tell(Key);
        ibv_wc Wc = awaitCompletion(O.D.Cq);
        CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RECV && Wc.wc_flags & IBV_WC_WITH_INV);
        CHECK(Wc.invalidated_rkey == Key && Wc.byte_len == 8 && Message[0] == 7);
        CHECK(O.Memory[15] == 7);
        CHECK(!ibv_dereg_mr(O.Mr));
        L.meet();
        L.meet();
        CHECK(awaitCompletion(O.D.Cq).status == IBV_WC_MW_BIND_ERR); // there is nothing to invalidate
        CHECK(O.Memory[15] == 7);
      },
      [](Line L) {
        User U(L, 2);
        uint32_t Key = L.hear<uint32_t>();
        U.Here[0] = 7;
        Work Write(IBV_WR_RDMA_WRITE, U.Mr, U.Here, 8, {0, 0, U.There, Key}, 15 * 8, 0);
        CHECK(!Write.post(U.Qps[0]));
        CHECK(U.request(0, IBV_WR_SEND_WITH_INV, 0, 0, 8, 0, Key) == IBV_WC_SUCCESS);
        U.Here[0] = 8;
        L.meet();
        CHECK(U.request(0, IBV_WR_RDMA_WRITE, Key, 15) == IBV_WC_REM_ACCESS_ERR);
        L.meet();
        CHECK(U.request(1, IBV_WR_SEND_WITH_INV, 0, 0, 8, 0, Key) == IBV_WC_REM_ACCESS_ERR);
      });
}

/// What no window may be: wider than its region, of a region that is not for windows, writable where the
/// region is not; a key of a window is none for local memory.
TEST_P(Windows, Refused) {
  auto Try = [](const std::function<ibv_wc_status(Owner &, ibv_mw *)> &Bind) {
    return [=](Line L) {
      Owner O;
      O.meet(L, 1);
      CHECK(Bind(O, O.window(IBV_MW_TYPE_1)) == IBV_WC_MW_BIND_ERR);
      L.meet();
    };
  };
  auto Nothing = [](Line L) {
    User U(L);
    L.meet();
  };
  run(Try([](Owner &O, ibv_mw *Mw) { return O.bindFirst(Mw, O.part(8, 9)); }), Nothing);
  run(Try([](Owner &O, ibv_mw *Mw) { return O.bindFirst(Mw, O.part(0, 8, Both | IBV_ACCESS_ZERO_BASED)); }),
      Nothing);
  run(Try([](Owner &O, ibv_mw *Mw) {
        O.Mr = O.D.offer(O.Memory, sizeof O.Memory);
        return O.bindFirst(Mw, O.part(0, 8));
      }),
      Nothing);
  run(Try([](Owner &O, ibv_mw *Mw) {
        O.Mr = O.D.offer(O.Memory, sizeof O.Memory, IBV_ACCESS_MW_BIND);
        return O.bindFirst(Mw, O.part(0, 8));
      }),
      Nothing);
  run(Try([](Owner &O, ibv_mw *Mw) {
        CHECK(O.bindFirst(Mw, O.part(0, 8)) == IBV_WC_SUCCESS);
        return O.invalidate(Mw->rkey); // of type 1
      }),
      Nothing);
  EXPECT_EQ(runRole({GetParam().first, 1},
                    [] {
                      Owner O;
                      ibv_qp *Qp = loopback(O.D);
                      ibv_mr *Mr = O.D.offer(O.Memory, sizeof O.Memory);
                      ibv_mw *Mw = O.window(IBV_MW_TYPE_2);
                      uint32_t Key = ibv_inc_rkey(Mw->rkey);
                      CHECK(O.bindSecond(Qp, Key, O.part(0, 8)) == IBV_WC_SUCCESS);
                      Work W(IBV_WR_RDMA_WRITE, Mr, O.Memory, 8, {0, 0, O.Begin, Mr->rkey});
                      W.Sge.lkey = Key;
                      CHECK(!W.post(Qp));
                      CHECK(awaitCompletion(O.D.Cq).status == IBV_WC_LOC_PROT_ERR);
                    }),
            0);
}

/// The same by the calls that build requests.
TEST_P(Windows, BuiltRequests) {
  auto Role = [] {
    Owner O;
    ibv_qp_init_attr_ex Init = {};
    Init.send_cq = Init.recv_cq = O.D.Cq;
    Init.cap = {8, 8, 1, 1, 0};
    Init.qp_type = IBV_QPT_RC;
    Init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    Init.pd = O.D.Domain;
    Init.send_ops_flags = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV |
                          IBV_QP_EX_WITH_RDMA_READ;
    ibv_qp *Qp = ibv_create_qp_ex(O.D.Context, &Init);
    ibv_qp_ex *Ex = ibv_qp_to_qp_ex(Qp);
    CHECK(Ex);
    connect(Qp, addressOf(O.D, Qp, nullptr));
    ibv_mw *Mw = O.window(IBV_MW_TYPE_2);
    uint32_t First = ibv_inc_rkey(Mw->rkey), Second = ibv_inc_rkey(First);
    ibv_recv_wr Receive = {}, *Bad;
    CHECK(!ibv_post_recv(Qp, &Receive, &Bad));
    ibv_mw_bind_info Part = O.part(4, 4);
    O.Memory[4] = 44;
    ibv_wr_start(Ex);
    Ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
    ibv_wr_bind_mw(Ex, Mw, First, &Part);
    ibv_wr_rdma_read(Ex, First, Part.addr);
    ibv_wr_set_sge(Ex, O.Mr->lkey, O.Begin, 8);
    ibv_wr_local_inv(Ex, First);
    ibv_wr_bind_mw(Ex, Mw, Second, &Part);
    ibv_wr_send_inv(Ex, Second);
    CHECK(!ibv_wr_complete(Ex));
    std::vector<ibv_wc_opcode> Sent;
    for (int I = 0; I < 6; ++I) {
      ibv_wc Wc = awaitCompletion(O.D.Cq);
      CHECK(Wc.status == IBV_WC_SUCCESS);
      if (Wc.opcode == IBV_WC_RECV)
        CHECK(Wc.wc_flags == IBV_WC_WITH_INV && Wc.invalidated_rkey == Second);
      else
        Sent.push_back(Wc.opcode);
    }
    CHECK((Sent ==
           std::vector{IBV_WC_BIND_MW, IBV_WC_RDMA_READ, IBV_WC_LOCAL_INV, IBV_WC_BIND_MW, IBV_WC_SEND}));
    CHECK(O.Memory[0] == 44 && !ibv_dereg_mr(O.Mr));
  };
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    EXPECT_EQ(runRole({GetParam().first, Seed, GetParam().second}, Role), 0) << Seed;
}

INSTANTIATE_TEST_SUITE_P(Schedules, Windows,
                         testing::Values(std::pair(false, false), std::pair(true, false),
                                         std::pair(true, true)),
                         [](const auto &Info) {
                           return Info.param.second ? "Ordered" : Info.param.first ? "Weak" : "Strong";
                         });

} // namespace

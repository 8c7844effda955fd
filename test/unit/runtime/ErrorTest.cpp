// What goes wrong, and what the program is told.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/wait.h>

using namespace rdma::test;

namespace {

const std::pair<int, int> BothGood = {0, 0};

class Errors : public testing::TestWithParam<bool> {
protected:
  Schedule schedule() const { return {GetParam(), 7}; }

  /// Posts the request that Make makes, behind a good one, and expects this status and a flush of what
  /// follows.
  void expectStatus(ibv_wc_status Status, unsigned RegionAccess, unsigned QueueAccess,
                    std::function<Work(ibv_mr *, Address)> Make) {
    static uint64_t There[4], Here[4];
    auto Target = [=](Line L) {
      Device D;
      meetPeer(L, D, D.queuePair(), D.offer(There, sizeof There, RegionAccess), QueueAccess);
      L.meet();
    };
    auto Poster = [=](Line L) {
      Device D;
      ibv_qp *Qp = D.queuePair();
      ibv_mr *Mr = D.offer(Here, sizeof Here);
      Address To = meetPeer(L, D, Qp, Mr);
      Work Bad = Make(Mr, To);
      Bad.Wr.wr_id = 1;
      CHECK(Bad.post(Qp) == 0);
      Work After(IBV_WR_RDMA_READ, Mr, Here, 8, To);
      After.Wr.wr_id = 2;
      CHECK(After.post(Qp) == 0);
      ibv_wc First = awaitCompletion(D.Cq), Second = awaitCompletion(D.Cq);
      CHECK(First.wr_id == 1);
      CHECK(First.status == Status);
      CHECK(Second.wr_id == 2 && Second.status == IBV_WC_WR_FLUSH_ERR);
      ibv_qp_attr A;
      ibv_qp_init_attr Init;
      CHECK(ibv_query_qp(Qp, &A, IBV_QP_STATE, &Init) == 0 && A.qp_state == IBV_QPS_ERR);
      L.meet();
    };
    EXPECT_EQ(runRoles(schedule(), Target, Poster), BothGood);
  }
};

TEST_P(Errors, WrongKey) {
  expectStatus(IBV_WC_REM_ACCESS_ERR, AllAccess, AllAccess, [](ibv_mr *Mr, Address To) {
    To.Rkey ^= 0x10000;
    return Work(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 8, To);
  });
}

TEST_P(Errors, OutOfRange) {
  expectStatus(IBV_WC_REM_ACCESS_ERR, AllAccess, AllAccess,
               [](ibv_mr *Mr, Address To) { return Work(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 16, To, 24); });
}

TEST_P(Errors, RegionIsReadOnly) {
  expectStatus(IBV_WC_REM_ACCESS_ERR, IBV_ACCESS_REMOTE_READ, AllAccess,
               [](ibv_mr *Mr, Address To) { return Work(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 8, To); });
}

TEST_P(Errors, QueuePairAllowsNoAtomics) {
  expectStatus(
      IBV_WC_REM_INV_REQ_ERR, AllAccess, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
      [](ibv_mr *Mr, Address To) { return Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, Mr->addr, 8, To).add(1); });
}

TEST_P(Errors, MisalignedAtomic) {
  expectStatus(IBV_WC_REM_INV_REQ_ERR, AllAccess, AllAccess, [](ibv_mr *Mr, Address To) {
    return Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, Mr->addr, 8, To, 4).add(1);
  });
}

TEST_P(Errors, WrongLocalKey) {
  expectStatus(IBV_WC_LOC_PROT_ERR, AllAccess, AllAccess, [](ibv_mr *Mr, Address To) {
    Work W(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 8, To);
    W.Sge.lkey ^= 0x10000;
    W.Wr.num_sge = 1;
    return W;
  });
}

TEST_P(Errors, PeerIsKilled) {
  static uint64_t There, Here;
  auto Victim = [](Line L) {
    Device D;
    meetPeer(L, D, D.queuePair(), D.offer(&There, sizeof There));
    L.tell(getpid());
    pause();
  };
  auto Poster = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Here, sizeof Here);
    Address To = meetPeer(L, D, Qp, Mr);
    kill(L.hear<pid_t>(), SIGKILL);
    auto Start = std::chrono::steady_clock::now();
    ibv_wc Wc = {};
    while (Wc.status == IBV_WC_SUCCESS) {
      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Qp) == 0);
      Wc = awaitCompletion(D.Cq);
    }
    CHECK(Wc.status == IBV_WC_RETRY_EXC_ERR);
    CHECK(std::chrono::steady_clock::now() - Start < std::chrono::seconds(2));
  };
  EXPECT_EQ(runRoles(schedule(), Victim, Poster), (std::pair<int, int>{128 + SIGKILL, 0}));
}

TEST_P(Errors, DeregisteredMemory) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t There, Here;
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *Mr = D.offer(&Here, 8), *Gone = D.offer(&There, 8);
                      Address To = addressOf(D, Qp, Gone);
                      CHECK(ibv_dereg_mr(Gone) == 0);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR);
                    }),
            0);
}

/// Processes that are killed in the middle of remote atomics and writes: the owner of the memory goes on,
/// also when one of them held the lock of its atomics.
TEST_P(Errors, KilledPostersLeaveNothingBehind) {
  static uint64_t Counter, Got;
  auto Owner = [](Line L) {
    for (int Victim = 0; Victim < 20; ++Victim) {
      static Device D;
      static ibv_mr *Mr = D.offer(&Counter, 8), *Mine = D.offer(&Got, 8);
      static ibv_qp *Self = loopback(D);
      ibv_qp *Qp = D.queuePair();
      auto Pid = L.hear<pid_t>();
      meetPeer(L, D, Qp, Mr);
      L.hear<char>(); // it has read all that was told
      usleep(200 + 311 * Victim % 1500);
      kill(Pid, SIGKILL);
      for (int I = 0; I < 20; ++I) {
        CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mine, &Got, 8, addressOf(D, Self, Mr)).add(1).post(Self) ==
              0);
        CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
      }
      CHECK(ibv_destroy_qp(Qp) == 0);
    }
  };
  auto Victims = [](Line L) {
    for (int Victim = 0; Victim < 20; ++Victim) {
      pid_t Child = fork();
      if (!Child) {
        Device D;
        L.tell(getpid());
        ibv_qp *Qp = D.queuePair();
        ibv_mr *Mr = D.offer(&Got, 8);
        Address To = meetPeer(L, D, Qp, Mr);
        L.tell('!');
        for (;;) {
          Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Got, 8, To).add(1).post(Qp);
          awaitCompletion(D.Cq);
        }
      }
      int Status = 0;
      CHECK(waitpid(Child, &Status, 0) == Child && WIFSIGNALED(Status) && WTERMSIG(Status) == SIGKILL);
    }
  };
  EXPECT_EQ(runRoles(schedule(), Owner, Victims), BothGood);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Errors, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

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

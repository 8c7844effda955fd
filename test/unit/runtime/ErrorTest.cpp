// What goes wrong, and what the program is told.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

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

TEST_P(Errors, RegionIsWriteOnly) {
  expectStatus(IBV_WC_REM_ACCESS_ERR, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, AllAccess,
               [](ibv_mr *Mr, Address To) { return Work(IBV_WR_RDMA_READ, Mr, Mr->addr, 8, To); });
}

TEST_P(Errors, RegionAllowsNoAtomics) {
  expectStatus(
      IBV_WC_REM_ACCESS_ERR, AllAccess & ~IBV_ACCESS_REMOTE_ATOMIC, AllAccess,
      [](ibv_mr *Mr, Address To) { return Work(IBV_WR_ATOMIC_CMP_AND_SWP, Mr, Mr->addr, 8, To).swap(0, 1); });
}

TEST_P(Errors, QueuePairAllowsNoWrites) {
  expectStatus(IBV_WC_REM_INV_REQ_ERR, AllAccess, IBV_ACCESS_REMOTE_READ,
               [](ibv_mr *Mr, Address To) { return Work(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 8, To); });
}

TEST_P(Errors, AtomicOfFourBytes) {
  expectStatus(IBV_WC_LOC_LEN_ERR, AllAccess, AllAccess, [](ibv_mr *Mr, Address To) {
    return Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, Mr->addr, 4, To).add(1);
  });
}

TEST_P(Errors, LongerThanAnyMessage) {
  expectStatus(IBV_WC_LOC_LEN_ERR, AllAccess, AllAccess, [](ibv_mr *Mr, Address To) {
    static ibv_sge Two[2];
    Two[0] = {reinterpret_cast<uint64_t>(Mr->addr), 0x80000000, Mr->lkey};
    Two[1] = Two[0];
    Work W(IBV_WR_RDMA_WRITE, Mr, Mr->addr, 8, To);
    W.Wr.sg_list = Two;
    W.Wr.num_sge = 2;
    return W;
  });
}

TEST_P(Errors, ResultIntoMemoryThatMayNotBeWritten) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t There, Here;
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *ReadOnly = D.offer(&Here, 8, IBV_ACCESS_REMOTE_READ);
                      Address To = addressOf(D, Qp, D.offer(&There, 8));
                      CHECK(Work(IBV_WR_RDMA_WRITE, ReadOnly, &Here, 8, To).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                      CHECK(Work(IBV_WR_RDMA_READ, ReadOnly, &Here, 8, To).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_LOC_PROT_ERR);
                    }),
            0);
}

TEST_P(Errors, KeyOfAnotherDomain) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t There, Here;
                      Device D, Other = D;
                      Other.Domain = ibv_alloc_pd(D.Context);
                      ibv_mr *Mr = D.offer(&Here, 8), *Foreign = Other.offer(&There, 8);
                      ibv_qp *Qp = loopback(D), *Second = loopback(D);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Foreign)).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Foreign, &There, 8, addressOf(D, Qp, Mr)).post(Second) ==
                            0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_LOC_PROT_ERR);
                    }),
            0);
}

/// No event tells of an object that is gone, and one that was read keeps its object until it is acknowledged.
TEST_P(Errors, EventsEndWithTheirObject) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_mr *Mr = D.offer(&Here, 8);
                      auto failedPair = [&] {
                        ibv_qp *Qp = loopback(D);
                        Address Wrong = addressOf(D, Qp, Mr);
                        Wrong.Rkey ^= 1 << 20;
                        CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, Wrong).post(Qp) == 0);
                        CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR);
                        return Qp;
                      };
                      CHECK(ibv_destroy_qp(failedPair()) == 0);
                      ibv_qp *Second = failedPair();
                      ibv_async_event Event;
                      CHECK(ibv_get_async_event(D.Context, &Event) == 0);
                      CHECK(Event.event_type == IBV_EVENT_QP_ACCESS_ERR && Event.element.qp == Second);
                      CHECK(fcntl(D.Context->async_fd, F_SETFL, O_NONBLOCK) == 0);
                      ibv_async_event None;
                      CHECK(ibv_get_async_event(D.Context, &None) == -1 && errno == EAGAIN);
                      std::atomic<bool> Destroyed{false};
                      std::thread Destroys([&] {
                        CHECK(ibv_destroy_qp(Second) == 0);
                        Destroyed = true;
                      });
                      usleep(20000);
                      CHECK(!Destroyed);
                      ibv_ack_async_event(&Event);
                      Destroys.join();
                    }),
            0);
}

/// The side that refused learns it too: its queue pair is in error, what it had posted is flushed.
TEST_P(Errors, TargetIsTold) {
  static uint64_t There, Here;
  static auto target = [](Line L, ibv_event_type Expected) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&There, 8);
    meetPeer(L, D, Qp, Mr);
    ibv_sge Sge = {reinterpret_cast<uint64_t>(&There), 8, Mr->lkey};
    ibv_recv_wr Receive = {3, nullptr, &Sge, 1}, *Bad;
    CHECK(ibv_post_recv(Qp, &Receive, &Bad) == 0);
    L.meet();
    ibv_async_event Event;
    CHECK(ibv_get_async_event(D.Context, &Event) == 0);
    CHECK(Event.event_type == Expected && Event.element.qp == Qp);
    ibv_ack_async_event(&Event);
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.wr_id == 3 && Wc.status == IBV_WC_WR_FLUSH_ERR);
    Receive.wr_id = 4;
    CHECK(ibv_post_recv(Qp, &Receive, &Bad) == 0);
    CHECK(awaitCompletion(D.Cq).wr_id == 4);
    CHECK(Work(IBV_WR_SEND, Mr, &There, 8, Address{}).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_WR_FLUSH_ERR);
    L.meet();
  };
  static auto poster = [](Line L, uint32_t WrongKey, uint64_t Offset) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Here, 8);
    Address To = meetPeer(L, D, Qp, Mr);
    To.Rkey ^= WrongKey;
    L.meet();
    CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Here, 8, To, Offset).add(1).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status != IBV_WC_SUCCESS);
    L.meet();
  };
  EXPECT_EQ(runRoles(
                schedule(), [](Line L) { target(L, IBV_EVENT_QP_ACCESS_ERR); },
                [](Line L) { poster(L, 0x10000, 0); }),
            BothGood);
  EXPECT_EQ(runRoles(
                schedule(), [](Line L) { target(L, IBV_EVENT_QP_REQ_ERR); }, [](Line L) { poster(L, 0, 4); }),
            BothGood);
}

/// A queue pair in error starts anew through the reset state; nothing of before is seen.
TEST_P(Errors, ResetMendsTheQueuePair) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t There, Here;
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *Mr = D.offer(&Here, 8);
                      Address To = addressOf(D, Qp, D.offer(&There, 8)), Wrong = To;
                      Wrong.Rkey ^= 0x10000;
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, Wrong).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_REM_ACCESS_ERR);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Qp) == 0); // flushed, not polled
                      ibv_qp_attr A = {};
                      A.qp_state = IBV_QPS_RESET;
                      CHECK(ibv_modify_qp(Qp, &A, IBV_QP_STATE) == 0);
                      connect(Qp, To);
                      Work Good(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To);
                      Good.Wr.wr_id = 9;
                      CHECK(Good.post(Qp) == 0);
                      ibv_wc Wc = awaitCompletion(D.Cq);
                      CHECK(Wc.wr_id == 9 && Wc.status == IBV_WC_SUCCESS);
                    }),
            0);
}

/// Nobody there, or nobody there any more: the retries end.
TEST_P(Errors, PeerIsNotThere) {
  EXPECT_EQ(runRole(schedule(),
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_mr *Mr = D.offer(&Here, 8);
                      ibv_qp *Left = D.queuePair(), *Gone = D.queuePair();
                      for (ibv_wr_opcode Opcode : {IBV_WR_RDMA_WRITE, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
                        ibv_qp *Lonely = D.queuePair();
                        Address Nobody = addressOf(D, Lonely, Mr);
                        Nobody.Lid = 0x7777;
                        connect(Lonely, Nobody);
                        CHECK(Work(Opcode, Mr, &Here, 8, Nobody).post(Lonely) == 0);
                        CHECK(awaitCompletion(D.Cq).status == IBV_WC_RETRY_EXC_ERR);
                      }
                      Address To = addressOf(D, Gone, Mr);
                      connect(Left, To);
                      connect(Gone, addressOf(D, Left, Mr));
                      CHECK(ibv_destroy_qp(Gone) == 0);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Left) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_RETRY_EXC_ERR);
                    }),
            0);
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

/// Over its life a node is connected to more often than the queue of its name holds; it lets them in whenever
/// it connects itself.
TEST(Fabric, ManyConnections) {
  auto Owner = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    Address Peer = meetPeer(L, D, Qp, nullptr);
    for (int I = 0; I < 5; ++I) {
      ibv_qp_attr Reset = {};
      Reset.qp_state = IBV_QPS_RESET;
      CHECK(ibv_modify_qp(Qp, &Reset, IBV_QP_STATE) == 0);
      L.hear<char>();
      connect(Qp, Peer);
      L.tell('!');
    }
  };
  auto Caller = [](Line L) {
    Device D;
    Address Peer = meetPeer(L, D, D.queuePair(), nullptr);
    std::string Name =
        "rdma/" + std::to_string(geteuid()) + "/" + getenv("RDMA_FABRIC") + "/" + std::to_string(Peer.Lid);
    sockaddr_un At = {};
    At.sun_family = AF_UNIX;
    memcpy(At.sun_path + 1, Name.data(), Name.size());
    for (int I = 0; I < 5000; ++I) {
      int Socket = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
      CHECK(connect(Socket, reinterpret_cast<sockaddr *>(&At),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + Name.size())) == 0);
      close(Socket);
      if (I % 1000 == 999)
        L.meet();
    }
  };
  EXPECT_EQ(runRoles({}, Owner, Caller), BothGood);
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

} // namespace

// The weak schedule shows what the order tables allow, and nothing that they forbid.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace rdma::test;

namespace {

/// One process with a queue pair to itself.
struct Loop {
  Device D;
  ibv_qp *Qp = loopback(D);
  static inline uint64_t There, Second, Here, Result;
  ibv_mr *Mr = D.offer(&Here, 8), *MrResult = D.offer(&Result, 8);
  Address To = addressOf(D, Qp, D.offer(&There, 8)), ToSecond = addressOf(D, Qp, D.offer(&Second, 8));

  void post(ibv_wr_opcode Opcode, unsigned Flags = IBV_SEND_SIGNALED) {
    bool IsRead = Opcode == IBV_WR_RDMA_READ;
    CHECK(Work(Opcode, IsRead ? MrResult : Mr, IsRead ? &Result : &Here, 8, To, 0, Flags).post(Qp) == 0);
  }
  void await() { CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS); }
};

uint64_t look(const uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }

constexpr Schedule AsLate = {.Weak = true};
constexpr unsigned Seeds = 40;

TEST(Weak, PolledWriteIsNotYetInMemory) {
  auto Write = [] {
    static Loop L;
    Loop::Here = 1;
    L.post(IBV_WR_RDMA_WRITE);
    L.await();
    return L.Qp;
  };
  static auto Shared = Write;
  EXPECT_TRUE(isSeen(AsLate, [] { return Shared(), look(Loop::There) == 0; }));
  EXPECT_EQ(count(AsLate, Seeds, [] { return rdma_flush(Shared()), look(Loop::There) == 0; }), 0u);
}

TEST(Weak, ReadIsOvertakenByWrite) {
  static auto ReadThenWrite = [](unsigned Fence) {
    Loop L;
    Loop::Here = 1;
    L.post(IBV_WR_RDMA_READ);
    L.post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | Fence);
    L.await();
    L.await();
    return Loop::Result == 1;
  };
  EXPECT_TRUE(isSeen(AsLate, [] { return ReadThenWrite(0); }));
  EXPECT_EQ(count(AsLate, Seeds, [] { return ReadThenWrite(IBV_SEND_FENCE); }), 0u);
}

/// A fence does not make the source of a later WRITE wait for an earlier WRITE to arrive, nor a result to be
/// delivered before a later READ looks at remote memory; but it does order a result before a later source.
TEST(Weak, FenceAfterReadOrdersTheSource) {
  static auto CopyThroughResult = [](unsigned Fence) {
    Loop L;
    Loop::There = 7;
    L.post(IBV_WR_RDMA_READ);
    CHECK(Work(IBV_WR_RDMA_WRITE, L.MrResult, &Loop::Result, 8, L.ToSecond, 0, IBV_SEND_SIGNALED | Fence)
              .post(L.Qp) == 0);
    L.await();
    L.await();
    rdma_flush(L.Qp);
    return look(Loop::Second) != 7;
  };
  EXPECT_TRUE(isSeen(AsLate, [] { return CopyThroughResult(0); }));
  EXPECT_EQ(count(AsLate, Seeds, [] { return CopyThroughResult(IBV_SEND_FENCE); }), 0u);
}

TEST(Weak, SourceIsReadLate) {
  static auto Refill = [](unsigned Flags, bool Wait) {
    Loop L;
    Loop::Here = 1;
    L.post(IBV_WR_RDMA_WRITE, Flags);
    if (Wait)
      rdma_wait(L.Qp);
    __atomic_store_n(&Loop::Here, 2, __ATOMIC_RELEASE);
    rdma_flush(L.Qp);
    return look(Loop::There) == 2;
  };
  EXPECT_TRUE(isSeen(AsLate, [] { return Refill(0, false); }));
  EXPECT_EQ(count(AsLate, Seeds, [] { return Refill(0, true); }), 0u);
  EXPECT_EQ(count(AsLate, Seeds, [] { return Refill(IBV_SEND_INLINE, false); }), 0u);
}

/// What the tables forbid: WRITEs of one queue pair arrive in order, and a READ behind them sees them.
TEST(Weak, WritesArriveInOrder) {
  EXPECT_EQ(count(AsLate, Seeds,
                  [] {
                    Loop L;
                    for (uint64_t I = 1; I <= 8; ++I) {
                      Loop::Here = I;
                      L.post(IBV_WR_RDMA_WRITE, IBV_SEND_INLINE);
                      CHECK(Work(IBV_WR_RDMA_WRITE, L.Mr, &Loop::Here, 8, L.ToSecond, 0, IBV_SEND_INLINE)
                                .post(L.Qp) == 0);
                      uint64_t Later = look(Loop::Second), Earlier = look(Loop::There);
                      if (Earlier < Later)
                        return true;
                    }
                    L.post(IBV_WR_RDMA_READ);
                    L.await();
                    return Loop::Result != 8 || look(Loop::Second) != 8;
                  }),
            0u);
}

TEST(Weak, ProgramThatOnlyWatchesMemorySeesTheWrite) {
  EXPECT_EQ(count(AsLate, Seeds,
                  [] {
                    Loop L;
                    Loop::Here = 1;
                    L.post(IBV_WR_RDMA_WRITE, 0);
                    while (look(Loop::There) == 0)
                      usleep(100);
                    return false;
                  }),
            0u);
}

/// Who has received a message may end the connection at once; the sender learns that it was received.
TEST(Weak, ReceivedMessageIsAcknowledgedBeforeTheEnd) {
  EXPECT_EQ(count(AsLate, Seeds,
                  [] {
                    static uint64_t Sent, Got;
                    Device Sender, Receiver;
                    ibv_qp *From = Sender.queuePair(), *At = Receiver.queuePair();
                    ibv_mr *Out = Sender.offer(&Sent, 8), *In = Receiver.offer(&Got, 8);
                    connect(From, addressOf(Receiver, At, nullptr));
                    connect(At, addressOf(Sender, From, nullptr));
                    ibv_sge Sge = {reinterpret_cast<uintptr_t>(&Got), 8, In->lkey};
                    ibv_recv_wr Receive = {1, nullptr, &Sge, 1}, *Bad;
                    CHECK(ibv_post_recv(At, &Receive, &Bad) == 0);
                    CHECK(Work(IBV_WR_SEND, Out, &Sent, 8, {}).post(From) == 0);
                    CHECK(awaitCompletion(Receiver.Cq).status == IBV_WC_SUCCESS);
                    ibv_qp_attr End = {};
                    End.qp_state = IBV_QPS_ERR;
                    CHECK(ibv_modify_qp(From, &End, IBV_QP_STATE) == 0);
                    return awaitCompletion(Sender.Cq).status != IBV_WC_SUCCESS;
                  }),
            0u);
}

TEST(Weak, SameSeedSameRun) {
  static int Pipe[2];
  auto Trace = [](unsigned Seed) {
    CHECK(pipe(Pipe) == 0);
    EXPECT_EQ(runRole({true, Seed},
                      [] {
                        Loop L;
                        for (int I = 0; I < 60; ++I) {
                          Loop::Here = static_cast<uint64_t>(I);
                          L.post(I % 3 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ);
                          ibv_wc Wc;
                          uint16_t Polls = 0;
                          for (; I % 4 == 3 && ibv_poll_cq(L.D.Cq, 1, &Wc) == 0;)
                            ++Polls;
                          uint16_t Line[] = {Polls, static_cast<uint16_t>(look(Loop::There)),
                                             static_cast<uint16_t>(look(Loop::Result))};
                          CHECK(write(Pipe[1], Line, sizeof Line) == sizeof Line);
                        }
                      }),
              0);
    close(Pipe[1]);
    std::string All;
    char Part[512];
    for (ssize_t N; (N = read(Pipe[0], Part, sizeof Part)) > 0;)
      All.append(Part, static_cast<size_t>(N));
    close(Pipe[0]);
    return All;
  };
  // A machine that takes the processor away for milliseconds may disturb a run: two of many are alike all the
  // same.
  auto Twice = [&](unsigned Seed, const std::set<std::string> &Other) {
    std::set<std::string> All;
    for (int I = 0; I < 100; ++I) {
      std::string One = Trace(Seed);
      EXPECT_EQ(One.size(), 360u);
      EXPECT_FALSE(Other.contains(One));
      if (!All.insert(One).second)
        return All;
    }
    ADD_FAILURE() << "no two runs of seed " << Seed << " are alike";
    return All;
  };
  Twice(2, Twice(1, {}));
}

/// What a process has posted still arrives when it exits in order.
TEST(Weak, ExitDeliversWhatWasPosted) {
  static uint64_t There[32];
  auto Watcher = [](Line L) {
    Device D;
    meetPeer(L, D, D.queuePair(), D.offer(There, sizeof There));
    L.hear<char>();
    while (look(There[31]) == 0)
      usleep(100);
    for (uint64_t I = 0; I < 32; ++I)
      CHECK(There[I] == I + 1);
  };
  auto Poster = [](Line L) {
    static uint64_t Here[32];
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, sizeof Here);
    Address To = meetPeer(L, D, Qp, Mr);
    for (uint64_t I = 0; I < 32; ++I) {
      Here[I] = I + 1;
      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, Here + I, 8, To, 8 * I, 0).post(Qp) == 0);
    }
    L.tell('!');
  };
  for (unsigned Seed = 1; Seed <= 5; ++Seed)
    EXPECT_EQ(runRoles({true, Seed}, Watcher, Poster), (std::pair<int, int>{0, 0}));
}

/// A child process does not do over again what its parent has posted.
TEST(Weak, ForkedChildLeavesRequestsToItsParent) {
  static uint64_t There;
  auto Owner = [](Line L) {
    Device D;
    meetPeer(L, D, D.queuePair(), D.offer(&There, 8));
    L.meet();
    CHECK(look(There) == 16);
  };
  auto Poster = [](Line L) {
    static uint64_t Got;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Got, 8);
    Address To = meetPeer(L, D, Qp, Mr);
    for (int I = 0; I < 16; ++I)
      CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Got, 8, To).add(1).post(Qp) == 0);
    pid_t Child = fork();
    if (!Child) {
      Device Own;
      ibv_wc Done;
      for (int I = 0; I < 20000; ++I)
        CHECK(ibv_poll_cq(Own.Cq, 1, &Done) == 0);
      exit(0);
    }
    int Status = 0;
    CHECK(waitpid(Child, &Status, 0) == Child && Status == 0);
    for (int I = 0; I < 16; ++I)
      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    rdma_flush(Qp);
    L.meet();
  };
  for (unsigned Seed = 1; Seed <= 5; ++Seed)
    EXPECT_EQ(runRoles({true, Seed}, Owner, Poster), (std::pair<int, int>{0, 0}));
}

/// Remote atomics of two processes stay indivisible.
TEST(Weak, AtomicsAreIndivisible) {
  static uint64_t There;
  static auto Draw = [](Device &D, ibv_qp *Qp, const Address &To) {
    uint64_t Got = 0;
    ibv_mr *Mr = D.offer(&Got, 8);
    for (int I = 0; I < 50; ++I) {
      CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Got, 8, To).add(1).post(Qp) == 0);
      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    }
    rdma_flush(Qp);
  };
  auto Owner = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair(), *Self = D.queuePair();
    ibv_mr *Mr = D.offer(&There, 8);
    connect(Self, addressOf(D, Self, nullptr));
    meetPeer(L, D, Qp, Mr);
    Address To = addressOf(D, Self, Mr);
    Draw(D, Self, To);
    L.meet();
    CHECK(look(There) == 100);
  };
  auto Other = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    Draw(D, Qp, meetPeer(L, D, Qp, nullptr));
    L.meet();
  };
  for (unsigned Seed = 1; Seed <= 5; ++Seed)
    EXPECT_EQ(runRoles({true, Seed}, Owner, Other), (std::pair<int, int>{0, 0})) << "seed " << Seed;
}

} // namespace

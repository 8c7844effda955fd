// The ordered schedule: what is acknowledged reaches a target in the order of acknowledgement, whatever the
// queue pair or the process; and it is no stronger than that.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rdma::test;

namespace {

constexpr unsigned Seeds = 30;

uint64_t look(const uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }

constexpr Schedule Weak = {.Weak = true}, Ordered = {.Weak = true, .Ordered = true};

/// Two queue pairs of one process to itself.
struct TwoWays {
  Device D;
  ibv_qp *First = loopback(D), *Second = loopback(D);
  uint64_t Bytes[4] = {1, 0, 0, 0}; // source, two targets, a result
  uint64_t &Data = Bytes[1], &Flag = Bytes[2], &Result = Bytes[3];
  ibv_mr *Mr = D.offer(Bytes, sizeof Bytes);
  Address At = addressOf(D, First, Mr);

  void send(ibv_qp *Qp, unsigned To) {
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Bytes[0], 8, At, 8 * To).post(Qp) == 0);
    await();
  }
  void await() { CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS); }
};

bool flagBeforeData() {
  TwoWays W;
  W.send(W.First, 1);
  W.send(W.Second, 2);
  while (!look(W.Flag)) {
    ibv_wc Wc;
    CHECK(ibv_poll_cq(W.D.Cq, 1, &Wc) == 0);
  }
  return !look(W.Data);
}

TEST(Ordered, AcknowledgedWritesArriveInOrder) {
  EXPECT_TRUE(isSeen(Weak, flagBeforeData));
  EXPECT_EQ(count(Ordered, Seeds, flagBeforeData), 0u);
}

bool readMissesWrite() {
  TwoWays W;
  W.send(W.First, 1);
  CHECK(Work(IBV_WR_RDMA_READ, W.Mr, &W.Result, 8, W.At, 8).post(W.Second) == 0);
  W.await();
  return !look(W.Result);
}

TEST(Ordered, ReadsFollowWhatWasAcknowledged) {
  EXPECT_TRUE(isSeen(Weak, readMissesWrite));
  EXPECT_EQ(count(Ordered, Seeds, readMissesWrite), 0u);
}

/// What makes it weak stays: an acknowledged WRITE is not yet in memory, and a READ is overtaken by a WRITE.
TEST(Ordered, AcknowledgedIsNotArrived) {
  EXPECT_TRUE(isSeen(Ordered, [] {
    TwoWays W;
    W.send(W.First, 1);
    return !look(W.Data);
  }));
}

TEST(Ordered, ReadIsOvertakenByWrite) {
  EXPECT_TRUE(isSeen(Ordered, [] {
    TwoWays W;
    CHECK(Work(IBV_WR_RDMA_READ, W.Mr, &W.Result, 8, W.At, 8).post(W.First) == 0);
    CHECK(Work(IBV_WR_RDMA_WRITE, W.Mr, &W.Bytes[0], 8, W.At, 8).post(W.First) == 0);
    W.await(), W.await();
    return look(W.Result) == 1;
  }));
}

/// Another process: its message tells of a WRITE that a third had acknowledged. Both are connected before the
/// WRITE is posted, so that it need not be underway for longer than it takes to tell.
int messageBeforeData(Schedule Under) {
  auto writer = [](Line L) {
    Device D;
    static uint64_t Here = 1;
    ibv_mr *Mr = D.offer(&Here, 8);
    ibv_qp *First = D.queuePair();
    Address To = meetPeer(L, D, First, Mr);
    int Ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, Ends) == 0);
    Line Told(Ends[0]), Tells(Ends[1]);
    pid_t Teller = fork(); // a process of its own, and node
    if (Teller == 0) {
      alarm(120);
      Device Own;
      ibv_mr *OwnMr = Own.offer(&Here, 8);
      ibv_qp *Second = Own.queuePair();
      Address Flag = meetPeer(L, Own, Second, OwnMr);
      Told.meet();
      Told.meet();
      CHECK(Work(IBV_WR_RDMA_WRITE, OwnMr, &Here, 8, Flag).post(Second) == 0);
      CHECK(awaitCompletion(Own.Cq).status == IBV_WC_SUCCESS);
      L.meet();
      exit(0);
    }
    Tells.meet();
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(First) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    Tells.meet();
    int Status = 1;
    CHECK(waitpid(Teller, &Status, 0) == Teller && Status == 0);
    exit(0);
  };
  auto target = [](Line L) {
    Device D;
    static uint64_t There[2];
    ibv_mr *Data = D.offer(&There[0], 8), *Flag = D.offer(&There[1], 8);
    ibv_qp *First = D.queuePair(), *Second = D.queuePair();
    meetPeer(L, D, First, Data);
    meetPeer(L, D, Second, Flag);
    while (!look(There[1])) {
    }
    bool Missed = !look(There[0]);
    L.meet();
    exit(Missed ? 3 : 0);
  };
  auto [One, Two] = runRoles(Under, writer, target);
  EXPECT_EQ(One, 0);
  return Two;
}

TEST(Ordered, HoldsAcrossProcesses) {
  for (Schedule S = Ordered; S.Seed <= Seeds; ++S.Seed)
    EXPECT_EQ(messageBeforeData(S), 0) << "seed " << S.Seed;
  Schedule S = Weak;
  while (messageBeforeData(S) != 3 && S.Seed < ManySeeds)
    ++S.Seed;
  EXPECT_LT(S.Seed, ManySeeds) << "the message never came before the data";
}

} // namespace

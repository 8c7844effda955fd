// SEND, immediate data, completion events.
#include "Nodes.h"

#include "rdma/emulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace rdma::test;

namespace {

const std::pair<int, int> BothGood = {0, 0};

void postReceive(ibv_qp *Qp, ibv_mr *Mr, void *At, uint32_t Size, uint64_t Id) {
  ibv_sge Sge = {reinterpret_cast<uint64_t>(At), Size, Mr->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Id;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  CHECK(ibv_post_recv(Qp, &Wr, &Bad) == 0);
}

/// Two queue pairs of one process; the second has a completion queue of its own.
struct Two {
  Device D;
  static inline uint64_t Words[2];
  ibv_mr *Mr = D.offer(Words, sizeof Words);
  ibv_qp *First = D.queuePair(), *Second = other().queuePair();

  Device other() const {
    Device Same = D;
    Same.Cq = ibv_create_cq(D.Context, 16, nullptr, nullptr, 0);
    return Same;
  }
  void connectFirst() { connect(First, addressOf(D, Second, Mr)); }
  void connectSecond() { connect(Second, addressOf(D, First, Mr)); }
  void send() { CHECK(Work(IBV_WR_SEND, Mr, &Words[0], 8, Address{}).post(First) == 0); }
  /// For so long in milliseconds.
  void expectNothing(int Milliseconds) {
    ibv_wc Done;
    for (int I = 0; I < Milliseconds; ++I, usleep(1000))
      CHECK(ibv_poll_cq(D.Cq, 1, &Done) == 0);
  }
};

/// On one processor, for which this process gives way to others that want it.
void shareProcessor(bool GivesWay) {
  cpu_set_t Allowed, One;
  CHECK(sched_getaffinity(0, sizeof Allowed, &Allowed) == 0);
  int First = 0;
  while (!CPU_ISSET(First, &Allowed))
    ++First;
  CPU_ZERO(&One);
  CPU_SET(First, &One);
  CHECK(sched_setaffinity(0, sizeof One, &One) == 0);
  constexpr int Steps = 3, Most = 19;
  int Lower = std::min(getpriority(PRIO_PROCESS, 0) + Steps, Most);
  CHECK(!GivesWay || setpriority(PRIO_PROCESS, 0, Lower) == 0);
}

/// As on a network, where what is acknowledged is acknowledged before anybody can answer it. Programs that
/// have one completion queue rely on it; the weak schedules do not keep to it. Here the one that answers is
/// woken in the middle of the other one's post.
TEST(Answers, ComeBehindTheCompletionOfWhatTheyAnswer) {
  constexpr unsigned Rounds = 20;
  static uint64_t Words[2];
  auto Asks = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Words, sizeof Words);
    meetPeer(L, D, Qp, Mr);
    L.meet();
    shareProcessor(true);
    for (unsigned I = 0; I < Rounds; ++I) {
      postReceive(Qp, Mr, &Words[1], 8, I);
      CHECK(Work(IBV_WR_SEND, Mr, &Words[0], 8, Address{}).post(Qp) == 0);
      CHECK(awaitCompletion(D.Cq).opcode == IBV_WC_SEND);
      CHECK(awaitCompletion(D.Cq).opcode == IBV_WC_RECV);
    }
    L.meet();
  };
  auto Answers = [](Line L) {
    Device D;
    ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
    D.Cq = ibv_create_cq(D.Context, 16, nullptr, Channel, 0);
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Words, sizeof Words);
    meetPeer(L, D, Qp, Mr);
    postReceive(Qp, Mr, &Words[1], 8, 0);
    CHECK(ibv_req_notify_cq(D.Cq, 0) == 0);
    L.meet();
    shareProcessor(false);
    for (unsigned I = 0; I < Rounds;) {
      ibv_cq *Which;
      void *Context;
      CHECK(ibv_get_cq_event(Channel, &Which, &Context) == 0);
      ibv_ack_cq_events(Which, 1);
      CHECK(ibv_req_notify_cq(D.Cq, 0) == 0);
      for (ibv_wc Wc; ibv_poll_cq(D.Cq, 1, &Wc) == 1;)
        if (Wc.opcode == IBV_WC_RECV) {
          postReceive(Qp, Mr, &Words[1], 8, ++I);
          CHECK(Work(IBV_WR_SEND, Mr, &Words[0], 8, Address{}).post(Qp) == 0);
        }
    }
    L.meet();
  };
  EXPECT_EQ(runRoles({}, Asks, Answers), BothGood);
}

class Receives : public testing::TestWithParam<bool> {};

/// The time that a SEND waits for its target to be ready is not that for a receive.
TEST_P(Receives, MayBePostedLongAfterTheTargetIsReady) {
  EXPECT_EQ(runRole({GetParam(), 7},
                    [] {
                      Two T;
                      T.connectFirst();
                      T.send();
                      T.expectNothing(20);
                      T.connectSecond();
                      T.expectNothing(300); // for ever: that is what a retry count of 7 means
                      postReceive(T.Second, T.Mr, &Two::Words[1], 8, 1);
                      CHECK(awaitCompletion(T.D.Cq).status == IBV_WC_SUCCESS);
                    }),
            0);
}

/// And the other way round.
TEST_P(Receives, ASendDoesNotWaitForThatOfATargetThatIsGone) {
  EXPECT_EQ(runRole({GetParam(), 7},
                    [] {
                      for (bool Destroyed : {false, true}) {
                        Two T;
                        T.connectFirst();
                        T.connectSecond();
                        T.send();
                        T.expectNothing(20);
                        ibv_qp_attr Failed = {};
                        Failed.qp_state = IBV_QPS_ERR;
                        CHECK((Destroyed ? ibv_destroy_qp(T.Second)
                                         : ibv_modify_qp(T.Second, &Failed, IBV_QP_STATE)) == 0);
                        CHECK(awaitCompletion(T.D.Cq).status == IBV_WC_RETRY_EXC_ERR);
                      }
                    }),
            0);
}

/// The limit among the attributes of a new queue means nothing (ibv_create_srq(3)).
TEST_P(Receives, LimitOfASharedQueueIsSetByModifyAlone) {
  EXPECT_EQ(runRole({GetParam(), 7},
                    [] {
                      Device D;
                      ibv_srq_init_attr Init = {};
                      Init.attr = {8, 1, 5};
                      ibv_srq *Srq = ibv_create_srq(D.Domain, &Init);
                      ibv_srq_attr Now = {};
                      CHECK(ibv_query_srq(Srq, &Now) == 0 && Now.srq_limit == 0);
                    }),
            0);
}

TEST_P(Receives, SendsArriveInOrderWithTheirData) {
  constexpr int Messages = 40;
  auto Receiver = [](Line L) {
    static uint64_t Buffers[Messages][2];
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Buffers, sizeof Buffers, IBV_ACCESS_LOCAL_WRITE);
    toInit(Qp);
    for (uint64_t I = 0; I < Messages; ++I)
      postReceive(Qp, Mr, Buffers[I], 16, I);
    meetPeer(L, D, Qp, Mr);
    for (uint64_t I = 0; I < Messages; ++I) {
      ibv_wc Wc = awaitCompletion(D.Cq);
      CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RECV && Wc.wr_id == I && Wc.byte_len == 16);
      CHECK(Wc.wc_flags & IBV_WC_WITH_IMM && Wc.imm_data == I + 5);
      CHECK(Buffers[I][0] == I && Buffers[I][1] == 3 * I);
    }
    L.meet();
  };
  auto Sender = [](Line L) {
    static uint64_t Source[2];
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Source, sizeof Source);
    meetPeer(L, D, Qp, Mr);
    for (uint64_t I = 0; I < Messages; ++I) {
      Source[0] = I, Source[1] = 3 * I;
      Work W(IBV_WR_SEND_WITH_IMM, Mr, Source, 16, Address{});
      W.Wr.imm_data = static_cast<uint32_t>(I + 5);
      CHECK(W.post(Qp) == 0);
      ibv_wc Wc = awaitCompletion(D.Cq);
      CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_SEND);
    }
    L.meet();
  };
  EXPECT_EQ(runRoles({GetParam(), 3}, Receiver, Sender), BothGood);
}

TEST_P(Receives, ImmediateComesAfterTheWrite) {
  static uint64_t There[16], Here[16];
  auto Receiver = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(There, sizeof There);
    toInit(Qp);
    postReceive(Qp, Mr, There, 0, 9);
    meetPeer(L, D, Qp, Mr);
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && Wc.wr_id == 9 && Wc.imm_data == 4);
    for (uint64_t I = 0; I < 16; ++I)
      CHECK(There[I] == I + 1);
    L.meet();
  };
  auto Writer = [](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, sizeof Here);
    Address To = meetPeer(L, D, Qp, Mr);
    for (uint64_t I = 0; I < 16; ++I)
      Here[I] = I + 1;
    Work W(IBV_WR_RDMA_WRITE_WITH_IMM, Mr, Here, sizeof Here, To);
    W.Wr.imm_data = 4;
    CHECK(W.post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    L.meet();
  };
  for (unsigned Seed = 1; Seed <= (GetParam() ? 20 : 1); ++Seed)
    ASSERT_EQ(runRoles({GetParam(), Seed}, Receiver, Writer), BothGood) << "seed " << Seed;
}

TEST_P(Receives, NoReceivePosted) {
  EXPECT_EQ(runRole({GetParam(), 1},
                    [] {
                      static uint64_t Here;
                      Device D;
                      ibv_mr *Mr = D.offer(&Here, 8);
                      ibv_qp *Qp = D.queuePair();
                      connect(Qp, addressOf(D, Qp, nullptr), AllAccess, 2);
                      CHECK(Work(IBV_WR_SEND, Mr, &Here, 8, Address{}).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_RNR_RETRY_EXC_ERR);
                    }),
            0);
}

/// Who has no receive says how long the sender waits before each retry: it, not the sender's own number,
/// which would be for its peer.
TEST_P(Receives, TheReceiverSaysHowLongItIsWaitedFor) {
  EXPECT_EQ(runRole({GetParam(), 1},
                    [] {
                      Two T;
                      T.connectSecond();
                      ibv_qp_attr Slow = {};
                      Slow.min_rnr_timer = 31; // 0.49 s
                      CHECK(ibv_modify_qp(T.Second, &Slow, IBV_QP_MIN_RNR_TIMER) == 0);
                      connect(T.First, addressOf(T.D, T.Second, T.Mr), AllAccess, 6);
                      T.send();
                      T.expectNothing(100); // of its own there would have been 0.06 ms
                      postReceive(T.Second, T.Mr, &Two::Words[1], 8, 1);
                      CHECK(awaitCompletion(T.D.Cq).status == IBV_WC_SUCCESS);
                    }),
            0);
}

/// A message that the receive cannot take: what each side is told, and that both queue pairs are in error.
void expectRefusal(Schedule S, uint32_t Room, unsigned Access, ibv_wc_status Receiver, ibv_wc_status Sender) {
  static uint64_t There[2], Here[2];
  auto One = [=](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    toInit(Qp);
    ibv_mr *Mr = D.offer(There, 16, Access);
    postReceive(Qp, Mr, There, 16, 1);
    postReceive(Qp, Mr, There, Room, 2);
    postReceive(Qp, Mr, There, 16, 3);
    meetPeer(L, D, Qp, Mr);
    CHECK(awaitCompletion(D.Cq).status == (Room < 16 ? IBV_WC_SUCCESS : Receiver));
    if (Room < 16) {
      ibv_wc Wc = awaitCompletion(D.Cq);
      CHECK(Wc.wr_id == 2 && Wc.status == Receiver);
    }
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_WR_FLUSH_ERR);
    L.meet();
  };
  auto Two = [=](Line L) {
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(Here, 16);
    meetPeer(L, D, Qp, Mr);
    for (uint64_t I = 1; I <= 3; ++I) {
      Work W(IBV_WR_SEND, Mr, Here, 16, Address{});
      W.Wr.wr_id = I;
      CHECK(W.post(Qp) == 0);
    }
    ibv_wc Wc = awaitCompletion(D.Cq);
    if (Room < 16) {
      CHECK(Wc.wr_id == 1 && Wc.status == IBV_WC_SUCCESS);
      Wc = awaitCompletion(D.Cq);
    }
    CHECK(Wc.status == Sender);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_WR_FLUSH_ERR);
    L.meet();
  };
  EXPECT_EQ(runRoles(S, One, Two), BothGood);
}

TEST_P(Receives, ReceiveThatIsTooSmall) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    expectRefusal({GetParam(), Seed}, 8, AllAccess, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
}

TEST_P(Receives, ReceiveIntoMemoryThatMayNotBeWritten) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    expectRefusal({GetParam(), Seed}, 16, 0, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Receives, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

/// The receiver sleeps; the sender's completion wakes it.
TEST(Events, ChannelWakesTheSleeper) {
  auto Receiver = [](Line L) {
    static uint64_t Buffer;
    Device D;
    ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
    CHECK(Channel);
    D.Cq = ibv_create_cq(D.Context, 16, &Buffer, Channel, 0);
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Buffer, 8, IBV_ACCESS_LOCAL_WRITE);
    toInit(Qp);
    postReceive(Qp, Mr, &Buffer, 8, 1);
    CHECK(ibv_req_notify_cq(D.Cq, 0) == 0);
    meetPeer(L, D, Qp, Mr);
    ibv_cq *Which = nullptr;
    void *Context = nullptr;
    CHECK(ibv_get_cq_event(Channel, &Which, &Context) == 0 && Which == D.Cq && Context == &Buffer);
    ibv_ack_cq_events(Which, 1);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && Buffer == 99);
    CHECK(ibv_destroy_qp(Qp) == 0 && ibv_destroy_cq(D.Cq) == 0 && ibv_destroy_comp_channel(Channel) == 0);
  };
  auto Sender = [](Line L) {
    static uint64_t Source = 99;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Source, 8);
    meetPeer(L, D, Qp, Mr);
    usleep(2000);
    CHECK(Work(IBV_WR_SEND, Mr, &Source, 8, Address{}).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
  };
  EXPECT_EQ(runRoles({}, Receiver, Sender), BothGood);
}

/// As the kernel does to a process that has been killed, some time before it is gone.
void giveNameBack() {
  for (int Fd = 3; Fd < 256; ++Fd) {
    sockaddr_un At = {};
    socklen_t Size = sizeof At;
    if (getsockname(Fd, reinterpret_cast<sockaddr *>(&At), &Size) == 0 && At.sun_family == AF_UNIX &&
        strncmp(At.sun_path + 1, "rdma/", 5) == 0)
      close(Fd);
  }
}

/// A process that was killed may take long to be gone. The receives that it had taken are flushed, in their
/// order.
TEST(Taken, ByOneThatIsSlowToEnd) {
  constexpr uint64_t Count = 16;
  unsigned Seed = 1;
  auto Victim = [&Seed](Line L) {
    static uint64_t Source;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Source, 8);
    meetPeer(L, D, Qp, Mr);
    rdma_emulated_restart(Seed); // from now on nothing moves but by its calls
    for (uint64_t I = 0; I < Count; ++I)
      CHECK(Work(IBV_WR_SEND, Mr, &Source, 8, Address{}).post(Qp) == 0);
    ibv_wc Wc;
    for (unsigned I = 0; I < 10 * Seed; ++I)
      CHECK(ibv_poll_cq(D.Cq, 1, &Wc) >= 0);
    giveNameBack();
    L.tell(getpid());
    pause();
  };
  auto Receiver = [](Line L) {
    static uint64_t Buffer;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Buffer, 8);
    toInit(Qp);
    for (uint64_t I = 0; I < Count; ++I)
      postReceive(Qp, Mr, &Buffer, 8, I);
    Address To = meetPeer(L, D, Qp, Mr);
    auto Pid = L.hear<pid_t>();
    auto Limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    uint64_t Next = 0;
    for (bool Asks = true; Next < Count && std::chrono::steady_clock::now() < Limit;) {
      if (std::exchange(Asks, false))
        CHECK(Work(IBV_WR_RDMA_READ, Mr, &Buffer, 8, To).post(Qp) == 0);
      ibv_wc Wc;
      if (ibv_poll_cq(D.Cq, 1, &Wc) != 1)
        continue;
      if (!(Wc.opcode & IBV_WC_RECV))
        Asks = Wc.status == IBV_WC_SUCCESS; // before it was missed
      else if (Wc.wr_id == Next)
        ++Next;
    }
    kill(Pid, SIGKILL);
    CHECK(Next == Count);
  };
  for (; Seed <= 20; ++Seed)
    EXPECT_EQ(runRoles({true, Seed}, Victim, Receiver), (std::pair<int, int>{128 + SIGKILL, 0})) << Seed;
}

} // namespace

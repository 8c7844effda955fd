// What a completion channel announces.
#include "Nodes.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <thread>

using namespace rdma::test;

static thread_local unsigned Naps = 0;

/// The device sleeps by this call while a program waits for an event under the weak schedule.
extern "C" int ppoll(pollfd *Files, nfds_t Count, const timespec *For, const sigset_t *Signals) {
  static auto *Next = reinterpret_cast<decltype(&ppoll)>(dlsym(RTLD_NEXT, "ppoll"));
  if (For && For->tv_nsec)
    ++Naps;
  return Next(Files, Count, For, Signals);
}

namespace {

/// How many events there are within so long after the last; all are acknowledged.
size_t countEvents(ibv_comp_channel *Channel, int Milliseconds) {
  CHECK(fcntl(Channel->fd, F_SETFL, O_NONBLOCK) == 0);
  size_t Count = 0;
  for (pollfd Poll = {Channel->fd, POLLIN, 0}; poll(&Poll, 1, Milliseconds) == 1;) {
    ibv_cq *Cq;
    void *Context;
    if (ibv_get_cq_event(Channel, &Cq, &Context)) {
      CHECK(errno == EAGAIN);
      continue;
    }
    CHECK(Cq->cq_context == Context);
    ibv_ack_cq_events(Cq, 1);
    ++Count;
  }
  return Count;
}

/// A queue pair that sends to itself, with a completion queue of its own for receives.
struct Announced {
  static inline uint64_t Words[2];
  Device D;
  ibv_mr *Mr = D.offer(Words, sizeof Words);
  ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
  ibv_cq *Arrivals = ibv_create_cq(D.Context, 16, Words, Channel, 0);
  ibv_qp *Qp;

  Announced() {
    ibv_qp_init_attr Init = {};
    Init.send_cq = D.Cq;
    Init.recv_cq = Arrivals;
    Init.cap = {16, 16, 1, 1, 0};
    Init.qp_type = IBV_QPT_RC;
    Qp = ibv_create_qp(D.Domain, &Init);
    CHECK(Qp && Channel && Arrivals);
    connect(Qp, addressOf(D, Qp, nullptr));
    for (int I = 0; I < 8; ++I) {
      ibv_sge Sge = {reinterpret_cast<uint64_t>(&Words[1]), 8, Mr->lkey};
      ibv_recv_wr Wr = {0, nullptr, &Sge, 1}, *Bad;
      CHECK(ibv_post_recv(Qp, &Wr, &Bad) == 0);
    }
  }
  /// The events of one request.
  size_t post(ibv_wr_opcode Opcode, unsigned Flags = 0) {
    Work W(Opcode, Mr, &Words[0], 8, addressOf(D, Qp, Mr), 8, IBV_SEND_SIGNALED | Flags);
    CHECK(W.post(Qp) == 0 && awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    return countEvents(Channel, 20);
  }
};

class Notification : public testing::TestWithParam<bool> {
protected:
  int run(void (*Role)()) { return runRole({GetParam(), 4}, Role); }
};

TEST_P(Notification, OfSolicitedCompletionsAlone) {
  EXPECT_EQ(run([] {
              for (ibv_wr_opcode Opcode : {IBV_WR_SEND, IBV_WR_RDMA_WRITE_WITH_IMM}) {
                Announced A;
                CHECK(ibv_req_notify_cq(A.Arrivals, 1) == 0);
                CHECK(A.post(Opcode) == 0 && A.post(Opcode, IBV_SEND_SOLICITED) == 1);
                CHECK(A.post(Opcode, IBV_SEND_SOLICITED) == 0); // one event each time it is asked for
                // Who has asked for any completion hears of any, whatever is asked for after that.
                CHECK(ibv_req_notify_cq(A.Arrivals, 0) == 0 && ibv_req_notify_cq(A.Arrivals, 1) == 0);
                CHECK(A.post(Opcode) == 1);
                // An error counts as solicited.
                CHECK(ibv_req_notify_cq(A.Arrivals, 1) == 0);
                ibv_qp_attr Failed = {};
                Failed.qp_state = IBV_QPS_ERR;
                CHECK(ibv_modify_qp(A.Qp, &Failed, IBV_QP_STATE) == 0 && countEvents(A.Channel, 20) == 1);
              }
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Notification, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

/// An event that was read keeps its queue until it is acknowledged (ibv_get_cq_event(3)).
TEST(Notifications, KeepTheirQueueUntilTheyAreAcknowledged) {
  EXPECT_EQ(runRole({},
                    [] {
                      Announced A;
                      CHECK(ibv_req_notify_cq(A.Arrivals, 0) == 0);
                      CHECK(Work(IBV_WR_SEND, A.Mr, &A.Words[0], 8, Address{}).post(A.Qp) == 0);
                      ibv_cq *Cq;
                      void *Context;
                      CHECK(ibv_get_cq_event(A.Channel, &Cq, &Context) == 0 && Cq == A.Arrivals);
                      CHECK(ibv_destroy_qp(A.Qp) == 0);
                      std::atomic<bool> Destroyed{false};
                      std::thread Destroys([&] {
                        CHECK(ibv_destroy_cq(A.Arrivals) == 0);
                        Destroyed = true;
                      });
                      usleep(20000);
                      CHECK(!Destroyed);
                      ibv_ack_cq_events(Cq, 1);
                      Destroys.join();
                      CHECK(ibv_destroy_comp_channel(A.Channel) == 0);
                    }),
            0);
}

/// As ibv_get_cq_event(3) says, which reads: it ends when a signal comes, but where the handler is one
/// after which calls go on.
TEST_P(Notification, AreWaitedForUntilASignalComes) {
  EXPECT_EQ(run([] {
              static Announced A;
              static std::atomic<int> Signals{0};
              struct sigaction Action = {};
              Action.sa_handler = [](int) { ++Signals; };
              CHECK(sigaction(SIGUSR1, &Action, nullptr) == 0);
              pthread_t Sleeper = pthread_self();
              std::thread Wakes([=] {
                usleep(20000);
                pthread_kill(Sleeper, SIGUSR1);
              });
              ibv_cq *Cq;
              void *Context;
              CHECK(ibv_get_cq_event(A.Channel, &Cq, &Context) == -1 && errno == EINTR && Signals == 1);
              Wakes.join();
              Action.sa_flags = SA_RESTART;
              CHECK(sigaction(SIGUSR1, &Action, nullptr) == 0 && ibv_req_notify_cq(A.Arrivals, 0) == 0);
              std::thread Sends([=] {
                usleep(20000);
                pthread_kill(Sleeper, SIGUSR1);
                usleep(20000);
                CHECK(Work(IBV_WR_SEND, A.Mr, &A.Words[0], 8, Address{}).post(A.Qp) == 0);
              });
              CHECK(ibv_get_cq_event(A.Channel, &Cq, &Context) == 0 && Cq == A.Arrivals && Signals == 2);
              Sends.join();
            }),
            0);
}

/// None is lost, however many queues one channel announces and however late the program reads.
TEST(Notifications, OfManyQueuesOnOneChannel) {
  EXPECT_EQ(runRole({},
                    [] {
                      constexpr size_t Many = 5000;
                      static uint64_t Word;
                      Device D;
                      ibv_mr *Mr = D.offer(&Word, 8);
                      ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
                      for (size_t I = 0; I < Many; ++I) {
                        D.Cq = ibv_create_cq(D.Context, 1, nullptr, Channel, 0);
                        CHECK(D.Cq && ibv_req_notify_cq(D.Cq, 0) == 0);
                        ibv_qp *Qp = loopback(D, 1);
                        CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Word, 8, addressOf(D, Qp, Mr)).post(Qp) == 0);
                      }
                      CHECK(countEvents(Channel, 100) == Many);
                    }),
            0);
}

/// It would sleep for longer than it does anything.
TEST(Notifications, ThatAreManyAreNotSleptForEachTime) {
  int Status = runRole({true}, [] {
    Device D;
    static uint64_t Words[2];
    ibv_mr *Mr = D.offer(Words, sizeof Words);
    ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
    ibv_qp_init_attr Init = {};
    ibv_cq *Cq = Init.send_cq = Init.recv_cq = ibv_create_cq(D.Context, 16, nullptr, Channel, 0);
    Init.cap = {16, 16, 1, 1, 0};
    Init.qp_type = IBV_QPT_RC;
    ibv_qp *Qp = ibv_create_qp(D.Domain, &Init);
    CHECK(Qp);
    connect(Qp, addressOf(D, Qp, nullptr));
    Address Own = addressOf(D, Qp, Mr);
    for (int I = 0; I < 2000; ++I) {
      CHECK(ibv_req_notify_cq(Cq, 0) == 0);
      CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Words[0], 8, Own, 8).post(Qp) == 0);
      ibv_cq *Of;
      void *Context;
      CHECK(ibv_get_cq_event(Channel, &Of, &Context) == 0);
      ibv_ack_cq_events(Of, 1);
      CHECK(awaitCompletion(Cq).status == IBV_WC_SUCCESS);
    }
    CHECK(Naps > 100 && Naps < 1000);
  });
  EXPECT_EQ(Status, 0);
}

} // namespace

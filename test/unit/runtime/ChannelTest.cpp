// Event channels: their descriptor, and whose events they carry.
#include "Connections.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <thread>

using namespace rdma::test;

namespace {

void runHere(const std::function<void()> &Body) { EXPECT_EQ(runRole({}, Body), 0); }

TEST(Channels, CanBePolledAndNeedNotBlock) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Listener = listenOn(There);
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(Listener));
    rdma_cm_event *E = nullptr;
    CHECK(fcntl(There->fd, F_SETFL, O_NONBLOCK) == 0);
    CHECK(!isReady(There, 0) && rdma_get_cm_event(There, &E) == -1 && errno == EAGAIN);
    int Set = epoll_create1(0);
    epoll_event Interest = {EPOLLIN, {.ptr = nullptr}}, Ready;
    CHECK(epoll_ctl(Set, EPOLL_CTL_ADD, There->fd, &Interest) == 0 && epoll_wait(Set, &Ready, 1, 0) == 0);
    rdma_conn_param P = parameters();
    P.qp_num = 1;
    CHECK(rdma_connect(Active, &P) == 0);
    CHECK(epoll_wait(Set, &Ready, 1, 5000) == 1);
    fd_set Reads;
    FD_ZERO(&Reads);
    FD_SET(There->fd, &Reads);
    timeval Limit = {5, 0};
    CHECK(select(There->fd + 1, &Reads, nullptr, nullptr, &Limit) == 1);
    expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST);
    CHECK(!isReady(There, 0) && epoll_wait(Set, &Ready, 1, 0) == 0);
    CHECK(rdma_get_cm_event(There, &E) == -1 && errno == EAGAIN);
    CHECK(rdma_get_cm_event(There, nullptr) == -1 && errno == EINVAL);
  });
}

TEST(Channels, TakeIdentifiersOverWithTheirEvents) {
  runHere([] {
    Connected C;
    CHECK(rdma_disconnect(C.Passive) == 0); // its own event waits already, the other side's is still to come
    rdma_event_channel *New = newChannel();
    CHECK(rdma_migrate_id(C.Passive, New) == 0 && C.Passive->channel == New);
    CHECK(rdma_migrate_id(C.Active, New) == 0);
    CHECK(rdma_migrate_id(C.Active, New) == 0); // where it is already
    CHECK(!isReady(C.PassiveEvents, 0) && !isReady(C.ActiveEvents, 0));
    CHECK(expectEvent(New, RDMA_CM_EVENT_DISCONNECTED).Event.id == C.Passive);
    CHECK(expectEvent(New, RDMA_CM_EVENT_DISCONNECTED).Event.id == C.Active);
    expectEvent(New, RDMA_CM_EVENT_TIMEWAIT_EXIT);
    expectEvent(New, RDMA_CM_EVENT_TIMEWAIT_EXIT);
    CHECK(!isReady(C.PassiveEvents, 0));
  });
}

TEST(Channels, AListenerTakesItsRequestsAlong) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel(), *New = newChannel();
    rdma_cm_id *Listener = listenOn(There);
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(Listener));
    giveQueuePair(Active);
    CHECK(rdma_connect(Active, nullptr) == 0);
    CHECK(isReady(There, 60000));
    CHECK(rdma_migrate_id(Listener, New) == 0 && !isReady(There, 0));
    CHECK(expectEvent(New, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id->channel == New);
    // A channel that goes takes its connections along, also those that the program has not seen.
    Active = resolved(Here, rdma_get_src_port(Listener));
    giveQueuePair(Active);
    CHECK(rdma_connect(Active, nullptr) == 0);
    CHECK(fcntl(New->fd, F_SETFL, O_NONBLOCK) == 0 && isReady(New, 60000));
    rdma_destroy_event_channel(New);
    expectEvent(Here, RDMA_CM_EVENT_REJECTED, 28);
    CHECK(rdma_destroy_id(Listener) == 0);
  });
}

TEST(Channels, ForgetTheEventsOfADestroyedIdentifier) {
  runHere([] {
    Connected C;
    CHECK(rdma_disconnect(C.Active) == 0 && isReady(C.ActiveEvents, 60000));
    rdma_destroy_qp(C.Active);
    CHECK(rdma_destroy_id(C.Active) == 0 && !isReady(C.ActiveEvents, 0));
    rdma_cm_event *E = nullptr;
    CHECK(fcntl(C.ActiveEvents->fd, F_SETFL, O_NONBLOCK) == 0);
    CHECK(rdma_get_cm_event(C.ActiveEvents, &E) == -1 && errno == EAGAIN);
  });
}

TEST(Channels, KeepAnIdentifierUntilItsEventsAreAcknowledged) {
  runHere([] {
    Connected C;
    CHECK(rdma_disconnect(C.Active) == 0);
    rdma_cm_event *E = nullptr;
    CHECK(rdma_get_cm_event(C.ActiveEvents, &E) == 0 && E->id == C.Active);
    rdma_destroy_qp(C.Active);
    std::atomic<bool> Gone{false};
    std::thread Destroyer([&] {
      CHECK(rdma_destroy_id(C.Active) == 0);
      Gone = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!Gone && E->event == RDMA_CM_EVENT_DISCONNECTED);
    CHECK(rdma_ack_cm_event(E) == 0);
    Destroyer.join();
    CHECK(rdma_ack_cm_event(nullptr) == -1 && errno == EINVAL);
  });
}

/// Answers requests until it has seen so many connections end.
void serve(rdma_event_channel *Events, std::atomic<int> &Ended, int Wanted) {
  CHECK(fcntl(Events->fd, F_SETFL, O_NONBLOCK) == 0);
  while (Ended < Wanted) {
    rdma_cm_event *E = nullptr;
    if (rdma_get_cm_event(Events, &E)) {
      CHECK(errno == EAGAIN);
      isReady(Events, 1);
      continue;
    }
    rdma_cm_id *I = E->id;
    rdma_cm_event_type Type = E->event;
    CHECK(rdma_ack_cm_event(E) == 0);
    if (Type == RDMA_CM_EVENT_CONNECT_REQUEST) {
      giveQueuePair(I);
      CHECK(rdma_accept(I, nullptr) == 0);
    } else if (Type == RDMA_CM_EVENT_DISCONNECTED) {
      rdma_destroy_qp(I);
      CHECK(rdma_destroy_id(I) == 0);
      Ended++;
    }
  }
}

TEST(Channels, ServeManyThreads) {
  runHere([] {
    constexpr int Clients = 3, Rounds = 10;
    rdma_event_channel *There = newChannel();
    rdma_cm_id *Listener = listenOn(There, 0, 2);
    std::atomic<int> Ended{0};
    std::vector<std::thread> Threads;
    for (int I = 0; I < 2; ++I)
      Threads.emplace_back([&] { serve(There, Ended, Clients * Rounds); });
    for (int I = 0; I < Clients; ++I)
      Threads.emplace_back([&] {
        rdma_event_channel *Here = newChannel();
        for (int Round = 0; Round < Rounds; ++Round) {
          rdma_cm_id *Active = resolved(Here, rdma_get_src_port(Listener));
          giveQueuePair(Active);
          CHECK(rdma_connect(Active, nullptr) == 0);
          expectEvent(Here, RDMA_CM_EVENT_ESTABLISHED);
          rdma_destroy_qp(Active);
          CHECK(rdma_destroy_id(Active) == 0);
        }
      });
    for (std::thread &T : Threads)
      T.join();
    CHECK(rdma_destroy_id(Listener) == 0);
  });
}

/// On hardware that thread sleeps in a read of the descriptor that was closed.
TEST(Channels, KeepAThreadAsleepWhenTheyAreDestroyed) {
  runHere([] {
    for (int Late = 0; Late < 2; ++Late) {
      rdma_event_channel *Channel = newChannel();
      static std::atomic<bool> MayAsk, Asked, Returned; // the thread stays to the end
      MayAsk = !Late, Asked = Returned = false;
      std::thread([Channel] {
        rdma_cm_event *E = nullptr;
        while (!MayAsk) {
        }
        Asked = true;
        rdma_get_cm_event(Channel, &E);
        Returned = true;
      }).detach();
      while (!Late && !Asked) {
      }
      usleep(1000);
      rdma_destroy_event_channel(Channel);
      MayAsk = true;
      if (!Late)
        newChannel(); // gets the same descriptor
      usleep(20000);
      CHECK(!Returned);
    }
  });
}

TEST(Channels, EventsHaveNames) {
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_ADDR_RESOLVED), "RDMA_CM_EVENT_ADDR_RESOLVED");
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_REJECTED), "RDMA_CM_EVENT_REJECTED");
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_TIMEWAIT_EXIT), "RDMA_CM_EVENT_TIMEWAIT_EXIT");
}

} // namespace

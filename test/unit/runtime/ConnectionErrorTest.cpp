// Connections that do not come about, or end without a word.
#include "Connections.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rdma::test;

namespace {

constexpr int NoListener = 8, Rejected = 28;

void runHere(const std::function<void()> &Body) { EXPECT_EQ(runRole({}, Body), 0); }

/// Asks for a connection without a queue pair of its own.
rdma_cm_id *ask(rdma_event_channel *Events, __be16 Port) {
  rdma_cm_id *I = resolved(Events, Port);
  rdma_conn_param P = parameters();
  P.qp_num = 1;
  CHECK(rdma_connect(I, &P) == 0);
  return I;
}

TEST(Refusal, OfAPortWithoutListener) {
  runHere([] {
    rdma_event_channel *Here = newChannel();
    rdma_cm_id *I = ask(Here, htons(7000));
    CHECK(expectEvent(Here, RDMA_CM_EVENT_REJECTED, NoListener).Event.id == I);
    // A port that is only held does not listen.
    rdma_cm_id *Held = newId(Here);
    CHECK(rdma_bind_addr(Held, Host("127.0.0.1")) == 0);
    ask(Here, rdma_get_src_port(Held));
    expectEvent(Here, RDMA_CM_EVENT_REJECTED, NoListener);
  });
}

/// As perftest does, which closes a listener and opens the next while its other side connects again.
TEST(Refusal, NotOfAPortWhoseListenerComesSoon) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    ask(Here, htons(7471));
    usleep(10000);
    listenOn(There, 7471);
    // The request is sent again when the program that connects asks for events.
    CHECK(fcntl(Here->fd, F_SETFL, O_NONBLOCK) == 0);
    rdma_cm_event *E = nullptr;
    while (!isReady(There, 5))
      CHECK(rdma_get_cm_event(Here, &E) == -1 && errno == EAGAIN);
    expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST);
  });
}

TEST(Refusal, ByTheProgramWithItsReason) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(listenOn(There)));
    giveQueuePair(Active);
    CHECK(rdma_connect(Active, nullptr) == 0);
    rdma_cm_id *Passive = expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    CHECK(rdma_reject(Passive, "no", 149) == -1 && errno == EINVAL);
    CHECK(rdma_reject(Passive, "not now", 7) == 0);
    CHECK(rdma_destroy_id(Passive) == 0);
    Told Answer = expectEvent(Here, RDMA_CM_EVENT_REJECTED, Rejected);
    CHECK(Answer.Private == "not now" && Answer.PrivateSize == 148);
    CHECK(Active->qp->state == IBV_QPS_ERR);
    CHECK(rdma_accept(Active, nullptr) == -1 && errno == EINVAL);
  });
}

TEST(Refusal, ByDestroyingTheRequest) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Listener = listenOn(There);
    ask(Here, rdma_get_src_port(Listener));
    CHECK(rdma_destroy_id(expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id) == 0);
    expectEvent(Here, RDMA_CM_EVENT_REJECTED, Rejected);
    // Or the listener, with requests that the program has not seen.
    ask(Here, rdma_get_src_port(Listener));
    CHECK(isReady(There, 60000));
    CHECK(rdma_destroy_id(Listener) == 0);
    expectEvent(Here, RDMA_CM_EVENT_REJECTED, Rejected);
    CHECK(!isReady(There, 0));
  });
}

TEST(Refusal, ByTheSideThatAsked) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Listener = listenOn(There);
    rdma_cm_id *Active = ask(Here, rdma_get_src_port(Listener));
    rdma_cm_id *Passive = expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    CHECK(rdma_destroy_id(Active) == 0);
    CHECK(expectEvent(There, RDMA_CM_EVENT_REJECTED, 4).Event.id == Passive);
    rdma_conn_param P = parameters();
    CHECK(rdma_accept(Passive, &P) == -1 && errno == EINVAL);

    Active = ask(Here, rdma_get_src_port(Listener));
    Passive = expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    CHECK(rdma_accept(Passive, &P) == 0);
    expectEvent(Here, RDMA_CM_EVENT_CONNECT_RESPONSE);
    CHECK(rdma_reject(Active, "changed my mind", 15) == 0);
    CHECK(expectEvent(There, RDMA_CM_EVENT_REJECTED, Rejected).Private == "changed my mind");
  });
}

TEST(Patience, EndsWhenNobodyAnswers) {
  runHere([] {
    setenv("RDMA_CONNECT_TIMEOUT", "100ms", 1);
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Active = ask(Here, rdma_get_src_port(listenOn(There)));
    CHECK(expectEvent(Here, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT).Event.id == Active);
    // The same of a response: the side that asked never looks.
    rdma_event_channel *Third = newChannel();
    rdma_cm_id *Listener = listenOn(Third);
    ask(Here, rdma_get_src_port(Listener));
    rdma_cm_id *Passive = expectEvent(Third, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    rdma_conn_param P = parameters();
    CHECK(rdma_accept(Passive, &P) == 0);
    CHECK(expectEvent(Third, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT).Event.id == Passive);
  });
}

TEST(Patience, HoldsWhenTheBacklogIsFull) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Listener = listenOn(There, 0, 1);
    constexpr int Count = 8;
    for (int I = 0; I < Count; ++I)
      ask(Here, rdma_get_src_port(Listener));
    CHECK(fcntl(Here->fd, F_SETFL, O_NONBLOCK) == 0);
    for (int I = 0; I < Count; ++I) {
      // The side that asks tries again when it looks for events.
      while (!isReady(There, 1)) {
        rdma_cm_event *E = nullptr;
        CHECK(rdma_get_cm_event(Here, &E) == -1 && errno == EAGAIN);
      }
      expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST);
    }
  });
}

TEST(Patience, HoldsWhenTheListenerHasNoFilesLeft) {
  auto Server = [](Line L) {
    rdma_event_channel *Events = newChannel();
    CHECK(fcntl(Events->fd, F_SETFL, O_NONBLOCK) == 0);
    rdma_cm_id *Listener = listenOn(Events, 7471);
    L.meet();
    L.meet();
    rlimit Usual, None;
    CHECK(getrlimit(RLIMIT_NOFILE, &Usual) == 0);
    None = {static_cast<rlim_t>(Events->fd) + 1, Usual.rlim_max}; // all below are in use
    CHECK(setrlimit(RLIMIT_NOFILE, &None) == 0);
    rdma_cm_event *E = nullptr;
    CHECK(isReady(Events, 60000) && rdma_get_cm_event(Events, &E) == -1 && errno == EAGAIN);
    CHECK(setrlimit(RLIMIT_NOFILE, &Usual) == 0);
    while (rdma_get_cm_event(Events, &E))
      CHECK(errno == EAGAIN);
    CHECK(E->event == RDMA_CM_EVENT_CONNECT_REQUEST && E->listen_id == Listener);
  };
  auto Client = [](Line L) {
    L.meet();
    rdma_event_channel *Events = newChannel();
    ask(Events, htons(7471));
    L.meet();
    expectEvent(Events, RDMA_CM_EVENT_REJECTED, Rejected);
  };
  EXPECT_EQ(runRoles({}, Server, Client), std::make_pair(0, 0));
}

TEST(Killed, WhileConnected) {
  auto Victim = [](Line L) {
    rdma_event_channel *Events = newChannel();
    rdma_cm_id *I = resolved(Events, htons(7471));
    giveQueuePair(I);
    L.meet();
    CHECK(rdma_connect(I, nullptr) == 0);
    expectEvent(Events, RDMA_CM_EVENT_ESTABLISHED);
    L.meet();
    // A child does not keep the connection.
    if (fork() == 0) {
      L.hear<char>();
      _exit(0);
    }
    kill(getpid(), SIGKILL);
  };
  auto Witness = [](Line L) {
    rdma_event_channel *Events = newChannel();
    listenOn(Events, 7471);
    L.meet();
    rdma_cm_id *I = expectEvent(Events, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    giveQueuePair(I);
    CHECK(rdma_accept(I, nullptr) == 0);
    expectEvent(Events, RDMA_CM_EVENT_ESTABLISHED);
    L.meet();
    CHECK(isReady(Events, 60000));
    CHECK(expectEvent(Events, RDMA_CM_EVENT_DISCONNECTED).Event.id == I);
    L.tell('.');
  };
  EXPECT_EQ(runRoles({}, Victim, Witness), std::make_pair(128 + SIGKILL, 0));
  EXPECT_EQ(runRoles({true, 3}, Victim, Witness), std::make_pair(128 + SIGKILL, 0));
}

TEST(Killed, BeforeTheAnswer) {
  auto Victim = [](Line L) {
    rdma_event_channel *Events = newChannel();
    listenOn(Events, 7471);
    L.meet();
    expectEvent(Events, RDMA_CM_EVENT_CONNECT_REQUEST);
    kill(getpid(), SIGKILL);
  };
  auto Witness = [](Line L) {
    rdma_event_channel *Events = newChannel();
    L.meet();
    ask(Events, htons(7471));
    expectEvent(Events, RDMA_CM_EVENT_REJECTED, Rejected);
    // Until the kernel has closed the last of its files.
    rdma_cm_event *E = nullptr;
    for (int Status = 0; Status != NoListener; rdma_ack_cm_event(E)) {
      ask(Events, htons(7471));
      CHECK(rdma_get_cm_event(Events, &E) == 0 && E->event == RDMA_CM_EVENT_REJECTED);
      Status = E->status;
    }
    // The port is free then.
    listenOn(Events, 7471);
  };
  EXPECT_EQ(runRoles({}, Victim, Witness), std::make_pair(128 + SIGKILL, 0));
}

TEST(Forked, BothListenAndTheConnectionStaysWithTheParent) {
  runHere([] {
    Connected C;
    // It is a node of its own and can connect, and listens with its parent. Its descriptor is its own.
    pid_t Child = fork();
    if (Child == 0) {
      rdma_event_channel *Own = newChannel();
      rdma_cm_id *I = resolved(Own, rdma_get_src_port(C.Listener));
      giveQueuePair(I);
      CHECK(rdma_connect(I, nullptr) == 0);
      rdma_cm_id *Passive = expectEvent(C.PassiveEvents, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
      giveQueuePair(Passive);
      CHECK(rdma_accept(Passive, nullptr) == 0);
      expectEvent(Own, RDMA_CM_EVENT_ESTABLISHED);
      CHECK(rdma_destroy_id(C.Listener) == 0);
      rdma_destroy_event_channel(C.ActiveEvents);
      exit(0);
    }
    int Status = 0;
    CHECK(waitpid(Child, &Status, 0) == Child && Status == 0);
    CHECK(!isReady(C.ActiveEvents, 0) && !isReady(C.PassiveEvents, 0));
    ask(C.ActiveEvents, rdma_get_src_port(C.Listener));
    expectEvent(C.PassiveEvents, RDMA_CM_EVENT_CONNECT_REQUEST);
    CHECK(rdma_disconnect(C.Active) == 0);
    expectEvent(C.PassiveEvents, RDMA_CM_EVENT_DISCONNECTED);
  });
}

TEST(Refused, WhatTheFabricDoesNotHave) {
  runHere([] {
    rdma_event_channel *Events = newChannel();
    rdma_cm_id *I = nullptr;
    CHECK(rdma_create_id(Events, &I, nullptr, static_cast<rdma_port_space>(7)) == -1 && errno == EOPNOTSUPP);
    I = newId(Events); // of a connection, so no groups and no datagrams
    CHECK(rdma_bind_addr(I, Host("127.0.0.1")) == 0);
    CHECK(rdma_join_multicast(I, Host("239.1.1.1"), nullptr) == -1 && errno == EINVAL);
    CHECK(rdma_leave_multicast(I, Host("239.1.1.1")) == -1 && errno == EADDRNOTAVAIL);
    ibv_qp_init_attr Init = {};
    Init.qp_type = IBV_QPT_UD;
    Init.cap = {4, 4, 1, 1, 0};
    CHECK(rdma_create_qp(I, nullptr, &Init) == -1 && errno == EINVAL && !I->send_cq && !I->qp);
  });
}

TEST(Refused, CallsInTheWrongState) {
  runHere([] {
    rdma_event_channel *Events = newChannel();
    rdma_cm_id *I = newId(Events);
    rdma_conn_param P = parameters();
    auto refused = [](int Result) { return Result == -1 && errno == EINVAL; };
    CHECK(refused(rdma_connect(I, &P)) && refused(rdma_resolve_route(I, 1)) && refused(rdma_accept(I, &P)));
    CHECK(refused(rdma_disconnect(I)) && refused(rdma_reject(I, nullptr, 0)) && refused(rdma_establish(I)));
    CHECK(refused(rdma_notify(I, IBV_EVENT_COMM_EST)));
    ibv_qp_init_attr Init = {};
    CHECK(refused(rdma_create_qp(I, nullptr, &Init))); // no device yet
    rdma_cm_id *Listener = listenOn(Events);
    CHECK(refused(rdma_listen(Listener, 1)) && refused(rdma_bind_addr(Listener, Host("127.0.0.1"))));
    rdma_cm_id *Other = nullptr;
    CHECK(refused(rdma_get_request(Listener, &Other)));
    I = resolved(Events, rdma_get_src_port(Listener));
    ibv_qp_attr A = {};
    int Mask = 0;
    A.qp_state = IBV_QPS_RTR; // to whom?
    CHECK(refused(rdma_init_qp_attr(I, &A, &Mask)));
    std::string TooLong(57, 'x');
    P = parameters(TooLong);
    CHECK(refused(rdma_connect(I, &P)));
    P = parameters();
    P.initiator_depth = 200;
    CHECK(refused(rdma_connect(I, &P)));
  });
}

} // namespace

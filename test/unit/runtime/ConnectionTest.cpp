// The way of a connection: its events, what they say, and what becomes of the queue pairs.
#include "Connections.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/epoll.h>
#include <thread>

using namespace rdma::test;

namespace {

void runHere(const std::function<void()> &Body) { EXPECT_EQ(runRole({}, Body), 0); }

ibv_qp_attr attributesOf(ibv_qp *Qp) {
  ibv_qp_attr A = {};
  ibv_qp_init_attr Init = {};
  CHECK(ibv_query_qp(Qp, &A, IBV_QP_STATE, &Init) == 0);
  return A;
}

TEST(Connections, TellBothSidesWhatTheyNeed) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Listener = listenOn(There);
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(Listener));
    CHECK(Active->verbs && Active->pd && Active->port_num == 1 && Active->route.num_paths == 1);
    CHECK(rdma_get_src_port(Active) && rdma_get_dst_port(Active) == rdma_get_src_port(Listener));
    giveQueuePair(Active);
    CHECK(attributesOf(Active->qp).qp_state == IBV_QPS_INIT);
    std::string Hello = "hello", Welcome = "welcome";
    rdma_conn_param P = parameters(Hello);
    CHECK(rdma_connect(Active, &P) == 0);

    Told Request = expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST);
    CHECK(Request.Event.listen_id == Listener && Request.Event.id != Listener);
    CHECK(Request.Private == "hello" && Request.PrivateSize == 56);
    const rdma_conn_param &Asked = Request.Event.param.conn;
    // What the other starts, this side answers.
    CHECK(Asked.responder_resources == 2 && Asked.initiator_depth == 3);
    CHECK(Asked.retry_count == 5 && Asked.rnr_retry_count == 6 && Asked.qp_num == Active->qp->qp_num);
    rdma_cm_id *Passive = Request.Event.id;
    CHECK(Passive->channel == There && Passive->context == Listener->context);
    CHECK(Passive->verbs == Active->verbs && Passive->pd);
    CHECK(rdma_get_dst_port(Passive) == rdma_get_src_port(Active));
    CHECK(rdma_get_src_port(Passive) == rdma_get_src_port(Listener));
    giveQueuePair(Passive);
    P = parameters(Welcome);
    P.responder_resources = 1;
    P.initiator_depth = 1;
    P.rnr_retry_count = 4;
    CHECK(rdma_accept(Passive, &P) == 0);

    Told Answer = expectEvent(Here, RDMA_CM_EVENT_ESTABLISHED);
    CHECK(Answer.Event.id == Active && Answer.Private == "welcome" && Answer.PrivateSize == 196);
    CHECK(Answer.Event.param.conn.qp_num == Passive->qp->qp_num);
    CHECK(expectEvent(There, RDMA_CM_EVENT_ESTABLISHED).Event.id == Passive);

    ibv_qp_attr A = attributesOf(Active->qp), B = attributesOf(Passive->qp);
    CHECK(A.qp_state == IBV_QPS_RTS && B.qp_state == IBV_QPS_RTS);
    CHECK(A.dest_qp_num == Passive->qp->qp_num && B.dest_qp_num == Active->qp->qp_num);
    CHECK(A.sq_psn == B.rq_psn && B.sq_psn == A.rq_psn);
    CHECK(A.max_rd_atomic == 1 && A.max_dest_rd_atomic == 1 && B.max_rd_atomic == 1);
    CHECK(A.retry_cnt == 5 && B.retry_cnt == 5 && A.rnr_retry == 4 && B.rnr_retry == 6);
    CHECK(A.qp_access_flags & IBV_ACCESS_REMOTE_READ && B.qp_access_flags & IBV_ACCESS_REMOTE_WRITE);
  });
}

TEST(Connections, EndOnBothSides) {
  runHere([] {
    Connected C;
    CHECK(rdma_disconnect(C.Active) == 0);
    CHECK(attributesOf(C.Active->qp).qp_state == IBV_QPS_ERR);
    CHECK(attributesOf(C.Passive->qp).qp_state == IBV_QPS_RTS);
    CHECK(expectEvent(C.ActiveEvents, RDMA_CM_EVENT_DISCONNECTED).Event.id == C.Active);
    CHECK(expectEvent(C.PassiveEvents, RDMA_CM_EVENT_DISCONNECTED).Event.id == C.Passive);
    CHECK(rdma_disconnect(C.Passive) == 0); // too late to matter
    CHECK(attributesOf(C.Passive->qp).qp_state == IBV_QPS_ERR);
    CHECK(expectEvent(C.ActiveEvents, RDMA_CM_EVENT_TIMEWAIT_EXIT).Event.id == C.Active);
    CHECK(expectEvent(C.PassiveEvents, RDMA_CM_EVENT_TIMEWAIT_EXIT).Event.id == C.Passive);
    CHECK(!isReady(C.ActiveEvents, 0) && !isReady(C.PassiveEvents, 0));
    for (rdma_cm_id *I : {C.Active, C.Passive})
      rdma_destroy_qp(I);
    for (rdma_cm_id *I : {C.Active, C.Passive, C.Listener})
      CHECK(rdma_destroy_id(I) == 0);
    rdma_destroy_event_channel(C.ActiveEvents);
    rdma_destroy_event_channel(C.PassiveEvents);
  });
}

TEST(Connections, EndWithTheIdentifier) {
  runHere([] {
    Connected C;
    rdma_destroy_qp(C.Passive);
    CHECK(rdma_destroy_id(C.Passive) == 0);
    expectEvent(C.ActiveEvents, RDMA_CM_EVENT_DISCONNECTED);
  });
}

TEST(Connections, CarryMessages) {
  runHere([] {
    Connected C;
    static char Text[] = "a message", Room[sizeof Text];
    ibv_mr *From = rdma_reg_msgs(C.Active, Text, sizeof Text),
           *To = rdma_reg_msgs(C.Passive, Room, sizeof Room);
    CHECK(From && To);
    CHECK(rdma_post_recv(C.Passive, Room, Room, sizeof Room, To) == 0);
    CHECK(rdma_post_send(C.Active, Text, Text, sizeof Text, From, IBV_SEND_SIGNALED) == 0);
    ibv_wc Wc = {};
    CHECK(rdma_get_recv_comp(C.Passive, &Wc) == 1 && Wc.status == IBV_WC_SUCCESS &&
          Wc.wr_id == uint64_t(Room));
    CHECK(!strcmp(Text, Room));
    CHECK(rdma_get_send_comp(C.Active, &Wc) == 1 && Wc.status == IBV_WC_SUCCESS);
    CHECK(rdma_dereg_mr(From) == 0 && rdma_dereg_mr(To) == 0);
  });
}

TEST(Connections, MayHaveQueuePairsOfTheProgram) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(listenOn(There)));
    auto own = [](rdma_cm_id *I) {
      ibv_qp_init_attr Init = {};
      Init.send_cq = Init.recv_cq = ibv_create_cq(I->verbs, 8, nullptr, nullptr, 0);
      Init.qp_type = IBV_QPT_RC;
      Init.cap = {4, 4, 1, 1, 0};
      return ibv_create_qp(I->pd, &Init);
    };
    auto move = [](rdma_cm_id *I, ibv_qp *Qp) {
      for (ibv_qp_state To : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
        ibv_qp_attr A = {};
        int Mask = 0;
        A.qp_state = To;
        CHECK(rdma_init_qp_attr(I, &A, &Mask) == 0 && ibv_modify_qp(Qp, &A, Mask) == 0);
      }
    };
    ibv_qp *Mine = own(Active);
    rdma_conn_param P = parameters();
    P.qp_num = Mine->qp_num;
    CHECK(rdma_connect(Active, nullptr) == -1 && errno == EINVAL); // which queue pair?
    CHECK(rdma_connect(Active, &P) == 0);
    Told Request = expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST);
    CHECK(Request.Event.param.conn.qp_num == Mine->qp_num);
    rdma_cm_id *Passive = Request.Event.id;
    ibv_qp *Other = own(Passive);
    move(Passive, Other);
    P.qp_num = Other->qp_num;
    CHECK(rdma_accept(Passive, &P) == 0);
    CHECK(expectEvent(Here, RDMA_CM_EVENT_CONNECT_RESPONSE).Event.param.conn.qp_num == Other->qp_num);
    move(Active, Mine);
    CHECK(!isReady(There, 0));
    CHECK(rdma_establish(Active) == 0);
    expectEvent(There, RDMA_CM_EVENT_ESTABLISHED);
    CHECK(rdma_establish(Active) == -1 && errno == EINVAL);
  });
}

TEST(Connections, ShareAReceiveQueue) {
  runHere([] {
    rdma_event_channel *There = newChannel(), *Here = newChannel();
    rdma_cm_id *Active = resolved(Here, rdma_get_src_port(listenOn(There)));
    ibv_srq_init_attr Receives = {nullptr, {8, 1, 0}};
    CHECK(rdma_create_srq(Active, nullptr, &Receives) == 0 && Active->srq);
    giveQueuePair(Active);
    CHECK(Active->qp->srq == Active->srq);
    CHECK(rdma_connect(Active, nullptr) == 0);
    CHECK(expectEvent(There, RDMA_CM_EVENT_CONNECT_REQUEST).Event.param.conn.srq == 1);
    rdma_destroy_qp(Active);
    rdma_destroy_srq(Active);
    CHECK(!Active->srq && !Active->recv_cq && !Active->send_cq_channel);
  });
}

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
    CHECK(isReady(There, 5000));
    CHECK(rdma_migrate_id(Listener, New) == 0 && !isReady(There, 0));
    CHECK(expectEvent(New, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id->channel == New);
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

TEST(Channels, EventsHaveNames) {
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_ADDR_RESOLVED), "RDMA_CM_EVENT_ADDR_RESOLVED");
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_REJECTED), "RDMA_CM_EVENT_REJECTED");
  EXPECT_STREQ(rdma_event_str(RDMA_CM_EVENT_TIMEWAIT_EXIT), "RDMA_CM_EVENT_TIMEWAIT_EXIT");
}

TEST(Endpoints, NeedNoChannel) {
  auto Server = [](Line L) {
    rdma_addrinfo Wanted = {}, *Found = nullptr;
    Wanted.ai_flags = RAI_PASSIVE;
    Wanted.ai_port_space = RDMA_PS_TCP;
    CHECK(rdma_getaddrinfo(nullptr, "7471", &Wanted, &Found) == 0);
    CHECK(Found->ai_src_len && !Found->ai_dst_len && Found->ai_qp_type == IBV_QPT_RC);
    ibv_qp_init_attr Init = {};
    Init.cap = {4, 4, 1, 1, 16};
    rdma_cm_id *Listener = nullptr, *I = nullptr;
    CHECK(rdma_create_ep(&Listener, Found, nullptr, &Init) == 0);
    rdma_freeaddrinfo(Found);
    CHECK(rdma_listen(Listener, 0) == 0);
    L.meet();
    CHECK(rdma_get_request(Listener, &I) == 0 && I->qp && I->channel != Listener->channel);
    CHECK(rdma_accept(I, nullptr) == 0 && I->event->event == RDMA_CM_EVENT_ESTABLISHED);
    CHECK(rdma_disconnect(I) == 0 && I->event->event == RDMA_CM_EVENT_DISCONNECTED);
    rdma_destroy_ep(I);
    rdma_destroy_ep(Listener);
  };
  auto Client = [](Line L) {
    rdma_addrinfo Wanted = {}, *Found = nullptr;
    Wanted.ai_port_space = RDMA_PS_TCP;
    CHECK(rdma_getaddrinfo("127.0.0.1", "7471", &Wanted, &Found) == 0 && Found->ai_dst_len);
    ibv_qp_init_attr Init = {};
    Init.cap = {4, 4, 1, 1, 16};
    rdma_cm_id *I = nullptr;
    L.meet();
    CHECK(rdma_create_ep(&I, Found, nullptr, &Init) == 0 && I->qp);
    CHECK(rdma_connect(I, nullptr) == 0 && I->event->event == RDMA_CM_EVENT_ESTABLISHED);
    CHECK(rdma_disconnect(I) == 0 && I->event->event == RDMA_CM_EVENT_DISCONNECTED);
    rdma_destroy_ep(I);
    // Where nobody listens. (The attributes name the completion queues that were made for them.)
    Init.send_cq = Init.recv_cq = nullptr;
    *reinterpret_cast<uint16_t *>(Found->ai_dst_addr->sa_data) = htons(7472);
    CHECK(rdma_create_ep(&I, Found, nullptr, &Init) == 0);
    CHECK(rdma_connect(I, nullptr) == -1 && errno == ECONNREFUSED);
    rdma_destroy_ep(I);
    rdma_freeaddrinfo(Found);
  };
  EXPECT_EQ(runRoles({}, Server, Client), std::make_pair(0, 0));
  EXPECT_EQ(runRoles({true, 5}, Server, Client), std::make_pair(0, 0));
}

} // namespace

// The way of a connection: its events, what they say, and what becomes of the queue pairs.
#include "Connections.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>

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
    P.responder_resources = 2;
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
    CHECK(A.max_rd_atomic == 2 && A.max_dest_rd_atomic == 1);
    CHECK(B.max_rd_atomic == 1 && B.max_dest_rd_atomic == 2);
    CHECK(A.retry_cnt == 5 && B.retry_cnt == 5 && A.rnr_retry == 4 && B.rnr_retry == 6);
    CHECK(A.qp_access_flags & IBV_ACCESS_REMOTE_READ && B.qp_access_flags & IBV_ACCESS_REMOTE_WRITE);
  });
}

TEST(Connections, GrantWhatWasAskedForWhenTheProgramHasNoWish) {
  runHere([] {
    Connected C; // asks to answer 3 reads, and to start 2
    ibv_qp_attr A = attributesOf(C.Active->qp), B = attributesOf(C.Passive->qp);
    CHECK(A.max_dest_rd_atomic == 3 && A.max_rd_atomic == 2);
    CHECK(B.max_rd_atomic == 3 && B.max_dest_rd_atomic == 2);
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
    auto send = [](ibv_qp *From, ibv_qp *To) {
      ibv_recv_wr Receive = {}, *BadReceive;
      ibv_send_wr Send = {}, *BadSend;
      Send.opcode = IBV_WR_SEND;
      Send.send_flags = IBV_SEND_SIGNALED;
      CHECK(ibv_post_recv(To, &Receive, &BadReceive) == 0 && ibv_post_send(From, &Send, &BadSend) == 0);
      CHECK(awaitCompletion(From->send_cq).status == IBV_WC_SUCCESS);
      CHECK(awaitCompletion(To->recv_cq).status == IBV_WC_SUCCESS);
    };
    send(Mine, Other);
    send(Other, Mine);
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

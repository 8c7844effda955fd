// What a process keeps of a peer that makes and destroys objects for as long as it runs.
#include "Nodes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/resource.h>

using namespace rdma::test;

namespace {

unsigned mappings() {
  std::ifstream Maps("/proc/self/maps");
  unsigned Count = 0;
  for (std::string Line; std::getline(Maps, Line);)
    ++Count;
  return Count;
}

/// Writes to a region that the peer registers and deregisters each time.
void writeToMany(Line L, int Rounds) {
  static uint64_t Word = 7;
  Device D;
  ibv_qp *Qp = D.queuePair();
  ibv_mr *Mr = D.offer(&Word, 8);
  Address There = meetPeer(L, D, Qp, Mr);
  unsigned Before = mappings();
  for (int I = 0; I < Rounds; ++I) {
    There.Rkey = L.hear<uint32_t>();
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Word, 8, There).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    L.tell('.');
  }
  CHECK(mappings() - Before < 1500);
}

void offerMany(Line L, int Rounds) {
  static uint64_t Word;
  Device D;
  ibv_qp *Qp = D.queuePair();
  ibv_mr *Mr = D.offer(&Word, 8);
  meetPeer(L, D, Qp, Mr);
  uint32_t Last = 0;
  for (int I = 0; I < Rounds; ++I) {
    CHECK(ibv_dereg_mr(Mr) == 0);
    Mr = D.offer(&Word, 8);
    CHECK(Mr->rkey != std::exchange(Last, Mr->rkey));
    L.tell(Mr->rkey);
    L.hear<char>();
  }
}

/// The kernel lets a process have some 65,000 mappings.
TEST(LongLived, PeersThatRegisterForEachMessage) {
  constexpr int Rounds = 4000;
  auto Ends = runRoles({}, [](Line L) { writeToMany(L, Rounds); }, [](Line L) { offerMany(L, Rounds); });
  EXPECT_EQ(Ends, std::pair(0, 0));
}

/// Sends to queue pairs whose completions are announced by a channel of their own each.
void sendToMany(Line L, int Rounds) {
  static uint64_t Word = 7;
  Device D;
  ibv_mr *Mr = D.offer(&Word, 8);
  rlimit Few = {64, 64};
  CHECK(setrlimit(RLIMIT_NOFILE, &Few) == 0);
  for (int I = 0; I < Rounds; ++I) {
    ibv_qp *Qp = D.queuePair();
    meetPeer(L, D, Qp, Mr);
    CHECK(Work(IBV_WR_SEND, Mr, &Word, 8, {}).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    L.hear<char>();
    CHECK(ibv_destroy_qp(Qp) == 0);
  }
}

void receiveByMany(Line L, int Rounds) {
  static uint64_t Word;
  Device D;
  ibv_mr *Mr = D.offer(&Word, 8);
  for (int I = 0; I < Rounds; ++I) {
    ibv_comp_channel *Channel = ibv_create_comp_channel(D.Context);
    D.Cq = ibv_create_cq(D.Context, 4, nullptr, Channel, 0);
    ibv_qp *Qp = D.queuePair(4);
    toInit(Qp);
    ibv_sge Sge = {reinterpret_cast<uint64_t>(&Word), 8, Mr->lkey};
    ibv_recv_wr Wr = {0, nullptr, &Sge, 1}, *Bad;
    CHECK(ibv_req_notify_cq(D.Cq, 0) == 0 && ibv_post_recv(Qp, &Wr, &Bad) == 0);
    meetPeer(L, D, Qp, Mr);
    pollfd Poll = {Channel->fd, POLLIN, 0};
    CHECK(poll(&Poll, 1, 20000) == 1);
    ibv_cq *Cq;
    void *Context;
    CHECK(ibv_get_cq_event(Channel, &Cq, &Context) == 0 && Cq == D.Cq);
    ibv_ack_cq_events(Cq, 1);
    L.tell('.');
    CHECK(ibv_destroy_qp(Qp) == 0 && ibv_destroy_cq(Cq) == 0 && ibv_destroy_comp_channel(Channel) == 0);
  }
}

/// No event is lost, though the sender has no room for so many files.
TEST(LongLived, PeersWithAChannelForEachConnection) {
  constexpr int Rounds = 200;
  auto Ends = runRoles({}, [](Line L) { sendToMany(L, Rounds); }, [](Line L) { receiveByMany(L, Rounds); });
  EXPECT_EQ(Ends, std::pair(0, 0));
}

} // namespace

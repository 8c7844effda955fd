// What a program gets back: memory that is no longer registered, keys that stay, signals and events of its
// own.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rdma::test;

namespace {

constexpr size_t Page = 4096;

char *map(size_t Size) {
  void *At = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(At != MAP_FAILED);
  return static_cast<char *>(At);
}

TEST(Return, DeregisteredMemoryIsZeroAfterDontneed) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      char *At = map(40 * Page);
                      memset(At, 7, 40 * Page);
                      ibv_mr *Mr = D.offer(At, 40 * Page);
                      CHECK(ibv_dereg_mr(Mr) == 0);
                      CHECK(At[0] == 7 && At[39 * Page] == 7);
                      CHECK(madvise(At, 40 * Page, MADV_DONTNEED) == 0);
                      for (size_t I = 0; I < 40 * Page; ++I)
                        CHECK(At[I] == 0);
                    }),
            0);
}

/// The C library's own allocator gives pages back like that too, and takes them for zeros later.
TEST(Return, CallocIsZero) {
  EXPECT_EQ(runRole({},
                    [] {
                      std::thread([] { // the heap of a second thread shrinks by madvise
                        Device D;
                        mallopt(M_MMAP_THRESHOLD, 64 << 20);
                        for (int I = 0; I < 4; ++I) {
                          constexpr size_t Size = 8 << 20;
                          auto *Used = static_cast<char *>(malloc(Size));
                          ibv_mr *Mr = D.offer(Used, Size);
                          memset(Used, 9, Size);
                          CHECK(ibv_dereg_mr(Mr) == 0);
                          free(Used);
                          malloc_trim(0);
                          auto *Clean = static_cast<char *>(calloc(1, Size));
                          for (size_t At = 0; At < Size; ++At)
                            CHECK(Clean[At] == 0);
                          free(Clean);
                        }
                      })
                          .join();
                    }),
            0);
}

/// Pages that another region needs stay where a peer finds them.
TEST(Return, OverlappingRegionsStayReachable) {
  EXPECT_EQ(runRoles(
                {},
                [](Line L) {
                  Device D;
                  char *At = map(4 * Page);
                  ibv_mr *First = D.offer(At, 2 * Page + 8), *Second = D.offer(At + 2 * Page + 16, 8);
                  ibv_qp *Qp = D.queuePair();
                  CHECK(ibv_dereg_mr(First) == 0);
                  meetPeer(L, D, Qp, Second);
                  L.meet();
                  CHECK(*reinterpret_cast<std::atomic<uint64_t> *>(At + 2 * Page + 16) == 5);
                },
                [](Line L) {
                  Device D;
                  static uint64_t Here = 5;
                  ibv_mr *Mr = D.offer(&Here, 8);
                  ibv_qp *Qp = D.queuePair();
                  Address To = meetPeer(L, D, Qp, Mr);
                  CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Qp) == 0);
                  CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                  L.meet();
                }),
            std::make_pair(0, 0));
}

/// Nothing that a thread writes meanwhile is lost.
TEST(Return, WritersGoOnMeanwhile) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      auto *Word = reinterpret_cast<std::atomic<uint64_t> *>(map(64 * Page));
                      std::atomic<bool> Stop = false;
                      uint64_t Written = 0;
                      std::thread Writer([&] {
                        while (!Stop)
                          CHECK(Word[512].fetch_add(1) == Written++);
                      });
                      for (int I = 0; I < 200; ++I)
                        CHECK(ibv_dereg_mr(D.offer(Word, 64 * Page)) == 0);
                      Stop = true;
                      Writer.join();
                    }),
            0);
}

TEST(Return, KeysStayWhenOnlyRightsChange) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D;
                      static uint64_t There, Here = 3;
                      ibv_mr *Mr = D.offer(&There, 8, IBV_ACCESS_LOCAL_WRITE), *Own = D.offer(&Here, 8);
                      uint32_t Before = Mr->rkey;
                      CHECK(ibv_rereg_mr(Mr, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, AllAccess) ==
                            0);
                      CHECK(Mr->rkey == Before && Mr->lkey == Before);
                      ibv_qp *Qp = loopback(D);
                      CHECK(Work(IBV_WR_RDMA_WRITE, Own, &Here, 8, addressOf(D, Qp, Mr)).post(Qp) == 0);
                      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && There == 3);
                    }),
            0);
}

TEST(Return, FirstSignalEndsTheProcess) {
  int Status = runRole({}, [] {
    Device D;
    static uint64_t Here;
    D.offer(&Here, 8); // from now on the device handles faults
    kill(getpid(), SIGSEGV);
    _exit(0);
  });
  EXPECT_EQ(Status, 128 + SIGSEGV);
}

/// Two opens of one device: each hears of its own objects alone.
TEST(Return, EachOpenHasItsOwnEvents) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device One, Two;
                      CHECK(One.Context->async_fd != Two.Context->async_fd);
                      ibv_srq_init_attr Init = {};
                      Init.attr = {4, 1, 0};
                      ibv_qp_init_attr QpInit = {};
                      QpInit.srq = ibv_create_srq(Two.Domain, &Init);
                      QpInit.send_cq = QpInit.recv_cq = Two.Cq;
                      QpInit.qp_type = IBV_QPT_RC;
                      QpInit.cap = {4, 4, 1, 1, 0};
                      ibv_qp *Qp = ibv_create_qp(Two.Domain, &QpInit);
                      toInit(Qp);
                      ibv_qp_attr Error = {};
                      Error.qp_state = IBV_QPS_ERR;
                      CHECK(ibv_modify_qp(Qp, &Error, IBV_QP_STATE) == 0); // the last receive is reached
                      pollfd Poll = {One.Context->async_fd, POLLIN, 0};
                      CHECK(poll(&Poll, 1, 0) == 0);
                      ibv_async_event Event;
                      CHECK(ibv_get_async_event(Two.Context, &Event) == 0);
                      CHECK(Event.event_type == IBV_EVENT_QP_LAST_WQE_REACHED && Event.element.qp == Qp);
                      ibv_ack_async_event(&Event);
                    }),
            0);
}

TEST(Return, LargeCompletionQueues) {
  EXPECT_EQ(runRole({},
                    [] {
                      Device D(262144);
                      CHECK(D.Cq->cqe >= 262144);
                    }),
            0);
}

} // namespace

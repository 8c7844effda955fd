// What a process leaves behind that ends without destroying anything: what was acknowledged to it arrives.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace rdma::test;

static std::atomic<unsigned> TurnsGiven{0};

/// The device gives its turns away by this call (runtime/device/GiveWay.h).
extern "C" long syscall(long Number, ...) noexcept {
  static auto *Next = reinterpret_cast<decltype(&syscall)>(dlsym(RTLD_NEXT, "syscall"));
  if (Number == SYS_sched_yield)
    ++TurnsGiven;
  va_list More;
  va_start(More, Number);
  long Given[6];
  for (long &Each : Given)
    Each = va_arg(More, long);
  va_end(More);
  return Next(Number, Given[0], Given[1], Given[2], Given[3], Given[4], Given[5]);
}

namespace {

constexpr int Seeds = 30;

uint64_t look(const uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }

/// Waits for the value, for a minute at most.
bool becomes(const uint64_t &At, uint64_t Value) {
  for (int I = 0; I < 60'000 && look(At) != Value; ++I) {
    timespec Millisecond = {0, 1000000};
    nanosleep(&Millisecond, nullptr);
  }
  return look(At) == Value;
}

/// The ways to end.
void returnFromMain() { exit(0); }
void leaveAtOnce() { _exit(0); }
void beKilled() { raise(SIGKILL); }

/// What the one who ends writes on either of two queue pairs of the target, and has acknowledged.
struct Ends {
  void (*How)();
  void operator()(Line L) const {
    Device D;
    static uint64_t Here[2] = {7, 8}, Old;
    ibv_mr *Mr = D.offer(Here, sizeof Here), *MrOld = D.offer(&Old, sizeof Old);
    ibv_qp *Qp = D.queuePair();
    Address To = meetPeer(L, D, Qp, Mr);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here[0], 8, To).post(Qp) == 0);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here[1], 8, To, 8).post(Qp) == 0);
    CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, MrOld, &Old, 8, To, 16).add(5).post(Qp) == 0);
    CHECK(Work(IBV_WR_SEND, Mr, &Here[1], 8, To).post(Qp) == 0);
    for (int I = 0; I < 4; ++I)
      CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    How();
  }
};

void stays(Line L) {
  Device D;
  static uint64_t There[3], Received;
  ibv_mr *Mr = D.offer(There, sizeof There), *Into = D.offer(&Received, sizeof Received);
  ibv_qp *Qp = D.queuePair();
  toInit(Qp);
  ibv_sge Sge = {reinterpret_cast<uint64_t>(&Received), 8, Into->lkey};
  ibv_recv_wr Receive = {}, *Bad;
  Receive.sg_list = &Sge;
  Receive.num_sge = 1;
  CHECK(ibv_post_recv(Qp, &Receive, &Bad) == 0);
  L.tell(addressOf(D, Qp, Mr));
  auto Peer = L.hear<Address>();
  connect(Qp, Peer);
  L.meet();
  CHECK(becomes(There[0], 7));
  CHECK(becomes(There[1], 8));
  CHECK(becomes(There[2], 5));
  ibv_wc Wc = awaitCompletion(D.Cq);
  CHECK(Wc.status == IBV_WC_SUCCESS && Wc.opcode == IBV_WC_RECV && look(Received) == 8);
  // The lock of the atomics is free again.
  Address Own = addressOf(D, Qp, Mr);
  ibv_qp *Loop = loopback(D);
  CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Into, &Received, 8, Own, 16).add(1).post(Loop) == 0);
  CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
  CHECK(look(Received) == 5);
}

class ProcessEnd : public testing::TestWithParam<void (*)()> {};

TEST_P(ProcessEnd, LosesNothingThatWasAcknowledged) {
  for (unsigned Seed = 1; Seed <= Seeds; ++Seed) {
    auto [One, Two] = runRoles({true, Seed}, Ends{GetParam()}, stays);
    EXPECT_TRUE(One == 0 || One == 128 + SIGKILL) << "seed " << Seed;
    EXPECT_EQ(Two, 0) << "seed " << Seed;
  }
}

/// The device finds nothing where it copies from, while it uses the memory of the other.
struct DiesWithin {
  ibv_wr_opcode Opcode;
  void operator()(Line L) const {
    Device D;
    static uint64_t Here;
    ibv_mr *Mr = D.offer(&Here, sizeof Here);
    ibv_qp *Qp = D.queuePair();
    Address To = meetPeer(L, D, Qp, Mr);
    signal(SIGSEGV, [](int) { raise(SIGKILL); });
    void *Nowhere = reinterpret_cast<void *>(8);
    Work(Opcode, Mr, Nowhere, 8, To, 0, IBV_SEND_INLINE | IBV_SEND_SIGNALED).post(Qp);
  }
};

void givesMemoryBack(Line L) {
  Device D;
  alignas(4096) static char There[4096]; // such calls move its page: nothing else is on it
  ibv_mr *Mr = D.offer(There, sizeof There);
  ibv_qp *Qp = D.queuePair();
  toInit(Qp);
  ibv_sge Sge = {reinterpret_cast<uint64_t>(There), sizeof There, Mr->lkey};
  ibv_recv_wr Receive = {}, *Bad;
  Receive.sg_list = &Sge;
  Receive.num_sge = 1;
  CHECK(ibv_post_recv(Qp, &Receive, &Bad) == 0);
  meetPeer(L, D, Qp, Mr);
  CHECK(L.isClosed());
  unsigned Before = TurnsGiven;
  CHECK(ibv_dereg_mr(Mr) == 0);
  // On a busy machine a turn takes milliseconds.
  CHECK(TurnsGiven - Before <= 4);
}

TEST(DeadProcess, IsNotWaitedForWhereItUsedMemory) {
  for (ibv_wr_opcode Opcode : {IBV_WR_RDMA_WRITE, IBV_WR_SEND}) {
    auto [One, Two] = runRoles({}, DiesWithin{Opcode}, givesMemoryBack);
    EXPECT_EQ(One, 128 + SIGKILL) << Opcode;
    EXPECT_EQ(Two, 0) << Opcode;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ProcessEnd, testing::Values(returnFromMain, leaveAtOnce, beKilled));

} // namespace

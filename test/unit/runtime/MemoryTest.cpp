// Registered memory of every kind, and what surrounds it.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <thread>

using namespace rdma::test;

namespace {

const std::pair<int, int> BothGood = {0, 0};

/// The owner offers eight bytes that Place gives; the peer writes 5 and adds 1, and the owner sees 6.
void expectReachable(std::function<uint64_t *()> Place) {
  auto Owner = [=](Line L) {
    Device D;
    uint64_t *Word = Place();
    *Word = 3;
    ibv_mr *Mr = D.offer(Word, 8);
    CHECK(*Word == 3);
    meetPeer(L, D, D.queuePair(), Mr);
    L.meet();
    CHECK(__atomic_load_n(Word, __ATOMIC_ACQUIRE) == 6);
  };
  auto Writer = [](Line L) {
    static uint64_t Here;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Here, 8);
    Address To = meetPeer(L, D, Qp, Mr);
    CHECK(Work(IBV_WR_RDMA_READ, Mr, &Here, 8, To).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && Here == 3);
    Here = 5;
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, To).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    CHECK(Work(IBV_WR_ATOMIC_FETCH_AND_ADD, Mr, &Here, 8, To).add(1).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS && Here == 5);
    L.meet();
  };
  EXPECT_EQ(runRoles({}, Owner, Writer), BothGood);
}

TEST(Memory, Static) {
  static uint64_t Word;
  expectReachable([] { return &Word; });
}

TEST(Memory, Heap) {
  expectReachable([] { return new uint64_t(0); });
}

TEST(Memory, LargeBlock) {
  expectReachable([] { return static_cast<uint64_t *>(calloc(1 << 20, 8)) + 77777; });
}

TEST(Memory, SharedMapping) {
  expectReachable([] {
    return static_cast<uint64_t *>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  });
}

TEST(Memory, Stack) {
  auto Owner = [](Line L) {
    volatile uint64_t Word = 1;
    Device D;
    meetPeer(L, D, D.queuePair(), D.offer(const_cast<uint64_t *>(&Word), 8));
    L.meet();
    CHECK(Word == 5);
  };
  auto Writer = [](Line L) {
    uint64_t Here = 5;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Here, 8);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8, meetPeer(L, D, Qp, Mr)).post(Qp) == 0);
    CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    L.meet();
  };
  EXPECT_EQ(runRoles({}, Owner, Writer), BothGood);
}

/// Regions that overlap and share pages are one memory, and nothing around them changes.
TEST(Memory, OverlappingRegions) {
  EXPECT_EQ(
      runRole({},
              [] {
                Device D;
                auto *Bytes = static_cast<char *>(malloc(20000));
                for (int I = 0; I < 20000; ++I)
                  Bytes[I] = static_cast<char>(I * 7);
                ibv_mr *One = D.offer(Bytes + 100, 9000), *Two = D.offer(Bytes + 5000, 9000);
                D.offer(Bytes + 14100, 8);
                for (int I = 0; I < 20000; ++I)
                  CHECK(Bytes[I] == static_cast<char>(I * 7));
                ibv_qp *Qp = loopback(D);
                CHECK(Work(IBV_WR_RDMA_WRITE, One, Bytes + 100, 8, addressOf(D, Qp, Two)).post(Qp) == 0);
                CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                CHECK(!memcmp(Bytes + 5000, Bytes + 100, 8) && Bytes[5008] == static_cast<char>(5008 * 7));
                CHECK(ibv_dereg_mr(One) == 0);
                CHECK(Work(IBV_WR_RDMA_READ, Two, Bytes + 6000, 8, addressOf(D, Qp, Two)).post(Qp) == 0);
                CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS &&
                      !memcmp(Bytes + 6000, Bytes + 5000, 8));
              }),
      0);
}

/// Unaligned copies of every small length are exact.
TEST(Memory, UnalignedCopies) {
  EXPECT_EQ(runRole({},
                    [] {
                      static unsigned char From[64], To[64];
                      Device D;
                      ibv_qp *Qp = loopback(D);
                      ibv_mr *Source = D.offer(From, 64), *Target = D.offer(To, 64);
                      for (unsigned I = 0; I < 64; ++I)
                        From[I] = static_cast<unsigned char>(I + 1);
                      for (unsigned A = 0; A < 9; ++A)
                        for (unsigned B = 0; B < 9; ++B)
                          for (unsigned Size = 1; Size < 40; ++Size) {
                            memset(To, 0, 64);
                            CHECK(Work(IBV_WR_RDMA_WRITE, Source, From + A, Size, addressOf(D, Qp, Target), B)
                                      .post(Qp) == 0);
                            CHECK(awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
                            CHECK(!memcmp(To + B, From + A, Size) && !To[B + Size] && (!B || !To[B - 1]));
                          }
                    }),
            0);
}

/// Other threads write to the pages while they are registered: no write is lost.
TEST(Memory, RegisteredWhileInUse) {
  EXPECT_EQ(runRole({},
                    [] {
                      constexpr int Blocks = 200, Size = 3 * 4096;
                      Device D;
                      auto *Bytes = static_cast<char *>(aligned_alloc(4096, Blocks * Size));
                      memset(Bytes, 0, Blocks * Size);
                      std::atomic<int> Current{0};
                      std::atomic<bool> Stop{false};
                      uint64_t Written = 0;
                      std::thread Writer([&] {
                        while (!Stop) {
                          auto *Word = reinterpret_cast<uint64_t *>(Bytes + Current * Size);
                          for (int Page = 0; Page < 3; ++Page)
                            __atomic_fetch_add(Word + 512 * Page, 1, __ATOMIC_RELAXED), ++Written;
                        }
                      });
                      for (int I = 0; I < Blocks; ++I) {
                        Current = I;
                        usleep(20);
                        D.offer(Bytes + I * Size, Size);
                      }
                      Stop = true;
                      Writer.join();
                      uint64_t Seen = 0;
                      for (int Page = 0; Page < 3 * Blocks; ++Page)
                        Seen += *reinterpret_cast<uint64_t *>(Bytes + 4096 * Page);
                      CHECK(Seen == Written);
                    }),
            0);
}

/// The signals that every thread but the first blocks, bit 0 is signal 1; nothing when there is no other
/// thread.
std::optional<uint64_t> blockedByOthers() {
  std::optional<uint64_t> All;
  for (const auto &Thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream Status(Thread.path() / "status");
    std::string Field, Blocked;
    while (Status >> Field && Field != "SigBlk:") {
    }
    Status >> Blocked;
    if (Thread.path().filename() != std::to_string(getpid()))
      All = All.value_or(~uint64_t(0)) & std::stoull(Blocked, nullptr, 16);
  }
  return All;
}

/// Bytes that this process has read.
uint64_t bytesRead() {
  std::ifstream File("/proc/self/io");
  std::string Name;
  uint64_t Count = 0;
  CHECK(File >> Name >> Count && Name == "rchar:");
  return Count;
}

/// Large programs have thousands of mappings, and may register as many buffers.
TEST(Memory, RegisteringLooksAtNoOtherMappings) {
  utsname Kernel;
  unsigned Major = 0, Minor = 0;
  CHECK(uname(&Kernel) == 0 && sscanf(Kernel.release, "%u.%u", &Major, &Minor) == 2);
  if (std::pair(Major, Minor) < std::pair(6u, 11u))
    GTEST_SKIP() << "before Linux 6.11 the kernel tells of one mapping by telling of all";
  EXPECT_EQ(runRole({},
                    [] {
                      for (int I = 0; I < 4000; ++I) // neighbours with other rights stay apart
                        CHECK(mmap(nullptr, 4096, I % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                                   -1, 0) != MAP_FAILED);
                      Device D;
                      static uint64_t First[1024], Second[1024];
                      CHECK(ibv_dereg_mr(D.offer(First, sizeof First)) == 0);
                      uint64_t Before = bytesRead();
                      for (int I = 0; I < 4; ++I)
                        D.offer(Second + I, 8);
                      CHECK(bytesRead() - Before < 65536);
                    }),
            0);
}

/// The thread of the device leaves signals to the program, but waits like the program's own threads for pages
/// that are being moved, which begins with a fault.
TEST(Memory, DeviceThreadTakesFaults) {
  auto Talk = [](Line L) {
    static uint64_t Word;
    Device D;
    ibv_qp *Qp = D.queuePair();
    ibv_mr *Mr = D.offer(&Word, 8);
    Address To = meetPeer(L, D, Qp, Mr);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Word, 8, To).post(Qp) == 0 &&
          awaitCompletion(D.Cq).status == IBV_WC_SUCCESS);
    auto takesFaults = [] {
      std::optional<uint64_t> Blocked = blockedByOthers();
      CHECK(Blocked && *Blocked >> (SIGTERM - 1) & 1);
      return !(*Blocked >> (SIGSEGV - 1) & 1);
    };
    // A thread that is being started blocks everything for a moment.
    for (int I = 0; I < 1000 && !takesFaults(); ++I)
      usleep(1000);
    CHECK(takesFaults());
    L.meet();
  };
  EXPECT_EQ(runRoles({}, Talk, Talk), BothGood);
}

/// The pages are the program's: where it has unmapped them, a request has nothing to take them from.
TEST(Memory, UnmappedUnderARequest) {
  for (bool Protected : {false, true}) {
    FILE *Said = tmpfile();
    ASSERT_TRUE(Said);
    int Status = runRole({}, [=] {
      dup2(fileno(Said), STDERR_FILENO);
      Device D;
      void *Pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ibv_mr *Mr = D.offer(Pages, 8192);
      ibv_qp *Qp = loopback(D);
      CHECK(Protected ? mprotect(Pages, 8192, PROT_READ) == 0 : munmap(Pages, 8192) == 0);
      auto Into = static_cast<char *>(Pages) + 4096;
      Work(IBV_WR_RDMA_READ, Mr, Into, 8, addressOf(D, Qp, Mr)).post(Qp);
    });
    EXPECT_EQ(Status, 128 + SIGSEGV);
    char Text[200] = {};
    rewind(Said);
    EXPECT_GT(fread(Text, 1, sizeof Text - 1, Said), 0u);
    EXPECT_STREQ(Text, "rdma: a request uses memory that the program has unmapped or protected since it was "
                       "registered\n");
    fclose(Said);
  }
}

/// A child process shares no memory with the node that it came from.
TEST(Memory, ForkCopies) {
  EXPECT_EQ(runRole({},
                    [] {
                      static uint64_t Words[2] = {1, 2};
                      Device D;
                      D.offer(&Words[0], 8);
                      pid_t Child = fork();
                      if (!Child) {
                        Words[0] = 10, Words[1] = 20;
                        _exit(0);
                      }
                      waitpid(Child, nullptr, 0);
                      CHECK(Words[0] == 1 && Words[1] == 2);
                    }),
            0);
}

} // namespace

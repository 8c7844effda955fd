// Threads of a process.
#include "Source.h"

namespace rdma::test {
namespace {

TEST(Threads, PosixWithAnArgument) {
  Extraction E = extractC(R"(
    #include <pthread.h>
    static void *work(void *arg) {
      struct data *d = arg;
      d->second = 1;
      return 0;
    }
    void run(void) {
      struct conn c; connect_all(&c);
      pthread_t t;
      pthread_create(&t, 0, work, &mine);
      post(&c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0);
    })");
  ASSERT_EQ(E.Code.Threads.size(), 2u);
  EXPECT_EQ(E.Code.Threads[1].Name, "work");
  EXPECT_EQ(E.Code.Threads[1].Home, E.Code.Threads[0].Home);
  EXPECT_EQ(threadText(E, "work"), "mine_8 := 1;\n");
}

TEST(Threads, OfTheStandardLibrary) {
  ExtractionOptions Options;
  Options.Files = {"snippet.cpp"};
  Options.HasFlags = true;
  Options.Overlay["snippet.cpp"] = R"(
    #include <atomic>
    #include <thread>
    static std::atomic<int> flag, turn;
    static void worker(std::atomic<int> *which) { which->store(1, std::memory_order_release); }
    int main() {
      std::thread a(worker, &flag);
      std::thread b([] { turn.store(2, std::memory_order_release); });
      int seen = flag.load() + turn.load();
      a.join();
      b.join();
      return seen;
    })";
  Extraction E = extract(Options);
  ASSERT_EQ(E.Code.Threads.size(), 3u);
  std::set<std::string> Names;
  for (const Object &O : E.Code.Objects)
    Names.insert(O.Name);
  EXPECT_EQ(threadText(E, "worker"), "flag := 1;\n");
  EXPECT_TRUE(Names.count("turn"));
}

TEST(Threads, StartedInALoopAreTwo) {
  Extraction E = extractC(R"(
    #include <pthread.h>
    static uint64_t total;
    static void *work(void *arg) { __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST); return arg; }
    void run(void) {
      pthread_t t[100];
      for (int i = 0; i < 100; i++)
        pthread_create(&t[i], 0, work, 0);
    })");
  EXPECT_EQ(E.Code.Threads.size(), 3u);
}

TEST(Threads, ThatShareACompletionQueueMayTakeEachOthersCompletions) {
  Extraction E = extractC(R"(
    #include <pthread.h>
    static struct conn c;
    static void *work(void *arg) {
      post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.first, 8, 0);
      poll_one(&c);
      return arg;
    }
    void run(void) {
      connect_all(&c);
      pthread_t t;
      pthread_create(&t, 0, work, 0);
      work(0);
    })");
  ASSERT_EQ(E.Code.QueuePairs.size(), 2u);
  for (const QueuePair &Q : E.Code.QueuePairs)
    EXPECT_EQ(Q.Queue, None);
  bool Told = false;
  for (const Remark &R : E.Code.Remarks)
    Told |= R.Text.find("several threads poll") != std::string::npos;
  EXPECT_TRUE(Told);
}

TEST(Threads, RecursionIsLeftAndTold) {
  Extraction E = extractC(R"(
    static void again(struct conn *c, int n) {
      post(c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0);
      if (n)
        again(c, n - 1);
    }
    void run(int n) { struct conn c; connect_all(&c); again(&c, n); })");
  bool Told = false;
  for (const Remark &R : E.Code.Remarks)
    Told |= !R.Covered && R.Text.find("recursive") != std::string::npos;
  EXPECT_TRUE(Told);
}

} // namespace
} // namespace rdma::test

// Threads of a process.
#include "Source.h"
#include "analyzer/core/Verdict.h"

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
  EXPECT_EQ(threadText(E, "work"), "assume(start_of_work == 1);\nmine_second := 1;\n");
}

/// What main's CPU did before it started the thread, and the thread's before it was joined, is over.
const std::string Worker = R"(
  #include <pthread.h>
  static uint64_t x, y, seen;
  static void *work(void *arg) { y = 1; seen = x; return arg; }
)";

bool hasCycle(const std::string &Body) {
  return !decide(extractC(Worker + "void run(void) { pthread_t t, other; " + Body + "}").Code, Model::RdmaTso)
              .Cycles;
}

TEST(Threads, BeginAfterWhatCameBeforeTheirStart) {
  EXPECT_FALSE(hasCycle("x = 1; seen = y; pthread_create(&t, 0, work, 0);"));
  EXPECT_TRUE(hasCycle("pthread_create(&t, 0, work, 0); x = 1; seen = y;"));
  EXPECT_TRUE(hasCycle("for (int i = 0; i < 100; i++) { x = 1; seen = y; pthread_create(&t, 0, work, 0); }"));
}

TEST(Threads, AreOverBehindTheirJoin) {
  EXPECT_FALSE(hasCycle("pthread_create(&t, 0, work, 0); pthread_join(t, 0); x = 1; seen = y;"));
  EXPECT_TRUE(hasCycle("pthread_create(&t, 0, work, 0); pthread_join(other, 0); x = 1; seen = y;"));
  EXPECT_TRUE(hasCycle("pthread_create(&t, 0, work, 0); t = other; pthread_join(t, 0); x = 1; seen = y;"));
  EXPECT_TRUE(hasCycle("pthread_create(&t, 0, work, 0); if (x) pthread_join(t, 0); x = 1; seen = y;"));
}

/// The NIC may still be delivering when the thread that posted has ended.
TEST(Threads, EndBeforeTheirRequestsDo) {
  const std::string Reader = R"(
    #include <pthread.h>
    static struct conn c;
    static void *work(void *arg) {
      post(&c, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, &mine.first, 8, 0);
      POLL
      return arg;
    }
    void run(void) {
      connect_all(&c);
      pthread_t t;
      pthread_create(&t, 0, work, 0);
      pthread_join(t, 0);
      theirs.second = mine.first;
    })";
  auto With = [&](const std::string &Poll) {
    std::string Source = Reader;
    return decide(extractC(Source.replace(Source.find("POLL"), 4, Poll)).Code, Model::RdmaTso).Cycles;
  };
  EXPECT_TRUE(With("poll_one(&c);"));
  EXPECT_FALSE(With(""));
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
  EXPECT_EQ(threadText(E, "worker"), "assume(start_of_worker == 1);\nr_5 := temporary_16;\nr_7 := "
                                     "temporary_8;\nflag := 1;\ndereg temporary;\nend_of_worker := 1;\n");
  EXPECT_TRUE(Names.count("turn"));
}

TEST(Threads, StartedInALoopAreThree) {
  Extraction E = extractC(R"(
    #include <pthread.h>
    static uint64_t total;
    static void *work(void *arg) { __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST); return arg; }
    void run(void) {
      pthread_t t[100];
      for (int i = 0; i < 100; i++)
        pthread_create(&t[i], 0, work, 0);
    })");
  EXPECT_EQ(E.Code.Threads.size(), 1u + 3u);
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
    Told |= R.Text.text().find("several threads poll") != std::string::npos;
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
    Told |= !R.Covered && R.Text.text().find("recursive") != std::string::npos;
  EXPECT_TRUE(Told);
}

} // namespace
} // namespace rdma::test

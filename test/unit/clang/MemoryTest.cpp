// Which loads and stores of the CPU count, and what they touch.
#include "Source.h"

namespace rdma::test {
namespace {

TEST(Memory, OnlyWhatTheNicCanTouch) {
  EXPECT_EQ(run("static uint64_t other; other = 3; mine.first = 1; "
                "post(&c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0); mine.second = 2;"),
            "mine_first := 1;\nput theirs <- mine_first unsignaled;\nmine_second := 2;\n");
}

TEST(Memory, NoAccessIsMergedOrRemoved) {
  EXPECT_EQ(run("post(&c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0); mine.first = 1; mine.first = 2; "
                "uint64_t a = mine.first, b = mine.first; theirs.first = a + b;"),
            "get mine <- theirs unsignaled;\nmine := 1;\nmine := 2;\nr := mine;\nr_3 := mine;\n");
}

TEST(Memory, ElementsOfAnArray) {
  Extraction E = extractC("void run(void) { struct conn c; connect_all(&c);"
                          "post(&c, IBV_WR_RDMA_READ, 0, &mine.array[1], 8, 0); mine.array[c.rkey % 4] = 1;"
                          "mine.array[3] = 2; }");
  std::vector<std::pair<std::int64_t, std::int64_t>> Ranges;
  for (const Statement &S : E.Code.Threads.at(0).Statements)
    if (S.Op.Local.valid())
      Ranges.push_back({S.Op.Local.Begin, S.Op.Local.End});
  // The array begins at byte 16; an index that is not known may be any of its four elements.
  EXPECT_EQ(Ranges, (std::vector<std::pair<std::int64_t, std::int64_t>>{{24, 32}, {16, 48}, {40, 48}}));
}

TEST(Memory, HeapAndAccessPaths) {
  Extraction E = extractC(
      R"(
    struct context { char *buf; struct conn c; };
    struct ibv_pd *pd;
    void run(void) {
      struct context ctx;
      connect_all(&ctx.c);
      ctx.buf = malloc(4096);
      ibv_reg_mr(pd, ctx.buf, 4096, IBV_ACCESS_REMOTE_WRITE);
      ctx.buf[0] = 1;
      post(&ctx.c, IBV_WR_RDMA_WRITE, 0, ctx.buf, 8, 0);
      ctx.buf[100] = 2;
    })",
      R"({ "nodes": { "left": { "entries": ["run"] }, "right": {} }, "queue_pairs": { "run": { "ctx.c.qp": "right" } },
              "regions": { "run": { "ctx.c.remote": "right:theirs" } } })");
  ASSERT_EQ(E.Code.QueuePairs.size(), 1u);
  EXPECT_EQ(E.Code.QueuePairs[0].Name, "ctx.c.qp");
  bool Registered = false;
  for (const Object &O : E.Code.Objects)
    Registered |= O.Name == "ctx.buf" && O.RemoteAccess && !O.Anything;
  EXPECT_TRUE(Registered);
}

TEST(Memory, FencesOfTheCpu) {
  EXPECT_EQ(run("post(&c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0); __atomic_store_n(&mine.first, 1, "
                "__ATOMIC_SEQ_CST); "
                "__atomic_thread_fence(__ATOMIC_ACQUIRE); __atomic_thread_fence(__ATOMIC_SEQ_CST);"),
            "get mine <- theirs unsignaled;\nmine := 1;\nmfence;\nmfence;\n");
}

TEST(Memory, AtomicsOfTheCpu) {
  std::string Text = run("post(&c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0); uint64_t zero = 0; "
                         "if (__atomic_compare_exchange_n(&mine.first, &zero, 5, 0, __ATOMIC_SEQ_CST, "
                         "__ATOMIC_SEQ_CST)) mine.second = 1;");
  EXPECT_NE(Text.find(":= cas(mine_first, 0, 5) succeeds;\nmine_second := 1;"), std::string::npos) << Text;
}

TEST(Memory, UnknownFunctionsMayReadAndWriteWhatTheyAreGiven) {
  Extraction E = extractC(R"(
    void elsewhere(void *);
    void run(void) { struct conn c; connect_all(&c); post(&c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0); elsewhere(&mine); })");
  std::string Text = threadText(E, "run");
  EXPECT_NE(Text.find(":= mine;\nmine := "), std::string::npos) << Text;
  unsigned Told = 0;
  for (const Remark &R : E.Code.Remarks)
    Told += R.Text.text().find("'elsewhere'") != std::string::npos;
  EXPECT_EQ(Told, 1u);
}

TEST(Memory, SitesHaveTheCallsTheyWereInlinedAt) {
  Extraction E = extractC("void run(void) { struct conn c; connect_all(&c); poll_one(&c);\n post(&c, "
                          "IBV_WR_RDMA_WRITE, 0, &mine, 8, 0); }");
  for (const Statement &S : E.Code.Threads.at(0).Statements)
    if (S.Op.Kind == OperationKind::Put) {
      ASSERT_EQ(S.Where.Chain.size(), 2u);
      EXPECT_EQ(S.Where.Chain[0].Function, "post");
      EXPECT_EQ(S.Where.Chain[1].Function, "run");
      EXPECT_EQ(S.Where.Chain[0].File, "snippet.c");
    }
}

} // namespace
} // namespace rdma::test

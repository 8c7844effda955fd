// What a poll's tested result says.
#include "Source.h"

namespace rdma::test {
namespace {

const std::string Post = "post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.first, 8, 0); ";

TEST(Poll, UntilThereIsOne) {
  EXPECT_EQ(run(Post + "struct ibv_wc wc; int n; do n = ibv_poll_cq(c.cq, 1, &wc); while (n < 1);"),
            "put theirs <- mine;\npoll(2);\n");
}

TEST(Poll, NotTestedIsNoPoll) {
  EXPECT_EQ(run(Post + "struct ibv_wc wc; ibv_poll_cq(c.cq, 1, &wc);"), "put theirs <- mine;\n");
}

TEST(Poll, OnTheWayWhereItWasTaken) {
  EXPECT_EQ(
      run(Post +
          "struct ibv_wc wc; if (ibv_poll_cq(c.cq, 1, &wc) > 0) mine.second = 1; else mine.second = 2;"),
      "put theirs <- mine_0;\nchoose {\npoll(2);\nmine_8 := 1;\n} or {\nmine_8 := 2;\n}\n");
}

TEST(Poll, CountsWhatIsKnown) {
  EXPECT_EQ(run(Post + Post + "struct ibv_wc wc[4]; if (ibv_poll_cq(c.cq, 4, wc) != 2) exit(1);"),
            "put theirs <- mine;\nput theirs <- mine;\npoll(2);\npoll(2);\n");
}

TEST(Poll, AccumulatedInALoop) {
  std::string Twenty = "for (int i = 0; i < 20; i++) { " + Post + "} ";
  std::string Text =
      run(Twenty + "struct ibv_wc wc[8]; int done = 0; while (done < 20) { int n = ibv_poll_cq(c.cq, 8, wc); "
                   "if (n < 0) exit(1); done += n; }");
  std::size_t Polls = 0;
  for (std::size_t At = 0; (At = Text.find("poll(2);", At)) != std::string::npos; ++At)
    ++Polls;
  EXPECT_EQ(Polls, 20u) << Text;
}

TEST(Poll, ShortLoopsAreUnrolled) {
  EXPECT_EQ(run("for (int i = 0; i < 2; i++) post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.array[i], "
                "8, 16 + 8 * i);"
                "for (int i = 0; i < 2; i++) poll_one(&c);"),
            "put theirs_16 <- mine_16;\nput theirs_24 <- mine_24;\npoll(2);\npoll(2);\n");
}

TEST(Poll, QueueFromWhereThePairIsCreated) {
  Extraction E = extractC(R"(
    void run(struct ibv_pd *pd, struct ibv_context *ctx) {
      struct ibv_cq *sends = ibv_create_cq(ctx, 8, 0, 0, 0), *receives = ibv_create_cq(ctx, 8, 0, 0, 0);
      struct ibv_qp_init_attr attr = {.send_cq = sends, .recv_cq = receives, .qp_type = IBV_QPT_UC, .sq_sig_all = 1};
      struct conn c; connect_all(&c);
      c.qp = ibv_create_qp(pd, &attr);
      c.cq = sends;
      post(&c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0);
      poll_one(&c);
    })");
  std::string Text = threadText(E, "run");
  EXPECT_NE(Text.find("put theirs <- mine;\npoll(2);"), std::string::npos) << Text;
  bool Told = false;
  for (const Remark &R : E.Code.Remarks) {
    EXPECT_EQ(R.Text.find("completions are taken"), std::string::npos) << R.Text;
    Told |= R.Text == "'c.qp' is not a reliable connection; it is analysed as if it were one" && !R.Covered;
  }
  EXPECT_TRUE(Told);
}

} // namespace
} // namespace rdma::test

// What a poll's tested result says.
#include "Source.h"
#include "analyzer/core/Verdict.h"

namespace rdma::test {
namespace {

const std::string Post = "post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.first, 8, 0); ";

TEST(Poll, UntilThereIsOne) {
  EXPECT_EQ(run(Post + "struct ibv_wc wc; int n; do n = ibv_poll_cq(c.cq, 1, &wc); while (n < 1);"),
            "put theirs <- mine;\npoll(2);\n");
}

/// The ways in which people write "until there is one": all leave one poll on the way that goes on.
TEST(Poll, UntilThereIsOneInOtherWords) {
  const std::string Loops[] = {
      "for (;;) { int n = ibv_poll_cq(c.cq, 1, &wc); if (n > 0) break; if (n < 0) return; }",
      "while (1) { int n = ibv_poll_cq(c.cq, 1, &wc); if (n != 0) { if (n < 0) exit(1); break; } }",
      "while (ibv_poll_cq(c.cq, 1, &wc) <= 0) ;",
      "again: ; int n = ibv_poll_cq(c.cq, 1, &wc); if (n == 0) goto again; if (n < 0) return;",
      "int n, tries = 1000; do n = ibv_poll_cq(c.cq, 1, &wc); while (n == 0 && --tries); if (n <= 0) return;",
      "for (int got = 0; !got;) switch (ibv_poll_cq(c.cq, 1, &wc)) "
      "{ case 0: continue; case 1: got = 1; break; default: exit(1); }"};
  for (const std::string &Loop : Loops) {
    Extraction E = extractC("void run(void) { struct conn c; connect_all(&c); struct ibv_wc wc; " + Post +
                            Loop + " mine.first = 1; }");
    EXPECT_TRUE(decide(E.Code, Model::RdmaTso).Ldrf) << Loop << "\n" << threadText(E, "run");
  }
}

TEST(Poll, UntilItIsThatOfThisRequest) {
  Extraction E =
      extractC("void run(void) { struct conn c; connect_all(&c); struct ibv_wc wc; " + Post +
               "do { while (ibv_poll_cq(c.cq, 1, &wc) == 0) ; } while (wc.wr_id != 7); mine.first = 1; }");
  EXPECT_TRUE(decide(E.Code, Model::RdmaTso).Ldrf) << threadText(E, "run");
}

TEST(Poll, GivingUpIsNoPoll) {
  Extraction E = extractC(
      "void run(void) { struct conn c; connect_all(&c); struct ibv_wc wc; " + Post +
      "int n, tries = 1000; do n = ibv_poll_cq(c.cq, 1, &wc); while (n == 0 && --tries); mine.first = 1; }");
  EXPECT_FALSE(decide(E.Code, Model::RdmaTso).Ldrf) << threadText(E, "run");
}

TEST(Poll, NotTestedIsNoPoll) {
  EXPECT_EQ(run(Post + "struct ibv_wc wc; ibv_poll_cq(c.cq, 1, &wc);"), "put theirs <- mine;\n");
}

TEST(Poll, OnTheWayWhereItWasTaken) {
  EXPECT_EQ(
      run(Post +
          "struct ibv_wc wc; if (ibv_poll_cq(c.cq, 1, &wc) > 0) mine.second = 1; else mine.second = 2;"),
      "put theirs <- mine_first;\nchoose {\npoll(2);\nmine_second := 1;\n} or {\nmine_second := 2;\n}\n");
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

TEST(Poll, SixteenPostsAndTheirCompletions) {
  Extraction E =
      extractC("void run(void) { struct conn c; connect_all(&c); struct ibv_wc wc[16]; "
               "for (int i = 0; i < 16; i++) { " +
               Post +
               "} int got = 0; while (got < 16) { "
               "int n = ibv_poll_cq(c.cq, 16, wc); if (n < 0) exit(1); "
               "for (int k = 0; k < n; k++) if (wc[k].status) exit(1); got += n; } mine.first = 1; }");
  EXPECT_TRUE(decide(E.Code, Model::RdmaTso).Ldrf) << threadText(E, "run");
}

TEST(Poll, ShortLoopsAreUnrolled) {
  EXPECT_EQ(run("for (int i = 0; i < 2; i++) post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.array[i], "
                "8, 16 + 8 * i);"
                "for (int i = 0; i < 2; i++) poll_one(&c);"),
            "put theirs_16 <- mine_array_0;\nput theirs_24 <- mine_array_1;\npoll(2);\npoll(2);\n");
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
    EXPECT_EQ(R.Text.text().find("completions are taken"), std::string::npos) << R.Text.text();
    Told |=
        R.Text.text().starts_with("'c.qp' is not a reliable connection; it is analysed as if it were one") &&
        !R.Covered;
  }
  EXPECT_TRUE(Told);
}

} // namespace
} // namespace rdma::test

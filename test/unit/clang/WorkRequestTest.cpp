// Work requests, however the program fills them.
#include "Source.h"

namespace rdma::test {
namespace {

TEST(WorkRequest, ThroughAHelper) {
  EXPECT_EQ(run("post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, &mine.first, 8, 8); poll_one(&c);"),
            "put theirs <- mine;\npoll(2);\n");
}

TEST(WorkRequest, EveryOpcode) {
  EXPECT_EQ(run("post(&c, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, &mine.first, 8, 0);"),
            "get mine <- theirs;\n");
  EXPECT_EQ(run("post(&c, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_SEND_SIGNALED, &mine.first, 8, 0);"),
            "rfaa mine <- theirs (0);\n");
  EXPECT_EQ(run("post(&c, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_SEND_SIGNALED, &mine.first, 8, 0);"),
            "rcas mine <- theirs (0, 0);\n");
}

TEST(WorkRequest, Flags) {
  EXPECT_EQ(run("post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_FENCE | IBV_SEND_INLINE, &mine.first, 8, 0);"),
            "put theirs <- mine unsignaled inline fenced;\n");
}

TEST(WorkRequest, FlagsOnOneWayOnly) {
  std::string Text = run(
      "post(&c, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | (c.rkey ? IBV_SEND_FENCE : 0), &mine.first, 8, 0);");
  EXPECT_NE(Text.find("put theirs <- mine;\n"), std::string::npos) << Text;
  EXPECT_NE(Text.find("put theirs <- mine fenced;\n"), std::string::npos) << Text;
}

TEST(WorkRequest, ChainsAndListsOfSegments) {
  EXPECT_EQ(
      run(R"(
    struct ibv_sge sge[3] = {{.addr = (uintptr_t)&mine.first, .length = 8}, {.addr = (uintptr_t)&mine.second, .length = 8},
                             {.addr = (uintptr_t)mine.array, .length = 32}};
    struct ibv_send_wr *bad, second = {.sg_list = sge + 2, .num_sge = 1, .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr first = {.next = &second, .sg_list = sge, .num_sge = 2, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};
    second.wr.rdma.remote_addr = c.remote + 16;
    first.wr.rdma.remote_addr = c.remote;
    ibv_post_send(c.qp, &first, &bad);)"),
      "put theirs_0 <- mine_first unsignaled;\nput theirs_8 <- mine_second;\nget mine_array <- theirs_16;\n");
}

TEST(WorkRequest, CopiedFromAConstant) {
  EXPECT_EQ(run(R"(
    static const struct ibv_send_wr pattern = {.num_sge = 1, .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_sge sge = {.addr = (uintptr_t)&mine.first, .length = 8};
    struct ibv_send_wr wr = pattern, *bad;
    wr.sg_list = &sge;
    wr.wr.rdma.remote_addr = c.remote;
    ibv_post_send(c.qp, &wr, &bad);)"),
            "get mine <- theirs;\n");
}

TEST(WorkRequest, NotPostedOnTheWayOfItsError) {
  std::string Text = run(R"(
    struct ibv_sge sge = {.addr = (uintptr_t)&mine.first, .length = 8};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ}, *bad;
    wr.wr.rdma.remote_addr = c.remote;
    if (ibv_post_send(c.qp, &wr, &bad) == 0)
      post(&c, IBV_WR_RDMA_WRITE, 0, &mine.second, 8, 8);)");
  EXPECT_EQ(Text, "choose {\n} or {\nget mine_first <- theirs_0 unsignaled;\nput theirs_8 <- mine_second "
                  "unsignaled;\n}\n");
}

TEST(WorkRequest, UnknownOpcodeIsEveryKindAndARemark) {
  Extraction E = extractC(R"(
    enum ibv_wr_opcode configured(void);
    void run(void) { struct conn c; connect_all(&c); post(&c, configured(), IBV_SEND_SIGNALED, &mine.first, 8, 0); })");
  std::string Text = threadText(E, "run");
  for (const char *Part : {"put theirs <- mine;", "get mine <- theirs;", "rcas mine <- theirs"})
    EXPECT_NE(Text.find(Part), std::string::npos) << Text;
  bool Told = false;
  for (const Remark &R : E.Code.Remarks)
    Told |= R.Text.text().find("opcode") != std::string::npos && R.Where.known();
  EXPECT_TRUE(Told);
}

TEST(WorkRequest, InsertedFences) {
  EXPECT_EQ(run(R"(post(&c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0);)"), "put theirs <- mine unsignaled;\n");
  Extraction E = extractC(R"(
# 1 "rdma/order.h"
    static inline int rdma_flush(struct ibv_qp *qp) { (void)qp; return 0; }
# 1 "snippet.c"
    void run(void) { struct conn c; connect_all(&c); post(&c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0); rdma_flush(c.qp); })");
  const Thread &T = E.Code.Threads.at(0);
  std::vector<OperationKind> Kinds;
  for (const Statement &S : T.Statements)
    if (S.Op.Kind != OperationKind::Nop)
      Kinds.push_back(S.Op.Kind);
  EXPECT_EQ(Kinds, (std::vector{OperationKind::Put, OperationKind::Get, OperationKind::Wait}));
}

} // namespace
} // namespace rdma::test

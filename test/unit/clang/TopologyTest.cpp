// The topology file and what happens without one.
#include "analyzer/clang/program/Topology.h"
#include "Source.h"

namespace rdma::test {
namespace {

using namespace clang_ir;

TEST(Topology, PathsWithAnyIndex) {
  EXPECT_TRUE(pathMatches("peers[*].qp", "peers[3].qp"));
  EXPECT_TRUE(pathMatches("peers[*].qp", "peers[*].qp"));
  EXPECT_TRUE(pathMatches("a->b.qp", "a->b.qp"));
  EXPECT_FALSE(pathMatches("peers[2].qp", "peers[3].qp"));
  EXPECT_FALSE(pathMatches("peers[*].qp", "peers[3].cq"));
  EXPECT_FALSE(pathMatches("peers[*].qp", "peers[3]"));
}

TEST(Topology, QueueOfTheSameElement) {
  EXPECT_EQ(withIndicesOf("t->rail[2].qp", "t->rail[*].qp", "t->rail[*].cq"), "t.rail[2].cq");
  EXPECT_EQ(withIndicesOf("m[1][2].qp", "m[*][*].qp", "m[*][*].cq"), "m[1][2].cq");
  EXPECT_EQ(withIndicesOf("m[1][2].qp", "m[1][*].qp", "cqs[*]"), "cqs[2]");
  EXPECT_EQ(withIndicesOf("rail[2].qp", "rail[*].qp", "the.cq"), "the.cq");
  EXPECT_EQ(withIndicesOf("*c->qp", "c->qp[*]", "c->cq[*]"), "c.cq[0]");
  EXPECT_TRUE(isOpen(withIndicesOf("qp", "qp", "cqs[*]")));
  EXPECT_TRUE(isOpen(withIndicesOf("rail[i].qp", "rail[*].qp", "rail[*].cq")));
}

TEST(Topology, PathsAsTheSourceSpellsThem) {
  EXPECT_TRUE(pathMatches("rail[i].qp", "rail[*].qp"));
  EXPECT_TRUE(pathMatches("rail[i + 1].qp", "rail[2].qp"));
  EXPECT_TRUE(pathMatches("(*conn).c_.qp", "conn->c_->qp"));
  EXPECT_TRUE(pathMatches("conn->c_.get()->qp", "conn->c_->qp"));
  EXPECT_TRUE(pathMatches("conn -> qp", "conn->qp"));
  EXPECT_TRUE(pathMatches("rail[at[i]].qp", "rail[*].qp"));
  EXPECT_TRUE(pathMatches("c->x->qp[0]", "*c->x->qp"));
  EXPECT_TRUE(pathMatches("c->qp[*]", "*c->qp"));
  EXPECT_TRUE(pathMatches("qps[1][0]", "*qps[1]"));
  EXPECT_FALSE(pathMatches("c->qp[1]", "*c->qp"));
  EXPECT_FALSE(pathMatches("c->qp[0].x", "*c->qp"));
  EXPECT_FALSE(pathMatches("this->qp", "qp"));
  EXPECT_FALSE(pathMatches("rail[1].qp", "rail[2].qp"));
  EXPECT_FALSE(pathMatches("conn->qp", "conn->qpe"));
}

TEST(Topology, Comments) {
  Topology T = readTopology("t.json", "// who\n{ \"nodes\": { \"a\": {} } /* and\n no more */ }");
  EXPECT_EQ(T.Nodes.size(), 1u);
}

TEST(Topology, WhatSeveralKeysMaySayIsAnyOfThem) {
  Topology T = readTopology("t.json", R"({ "nodes": { "n": { "entries": ["f"] }, "a": {}, "b": {} },
    "queue_pairs": { "f": { "rail[0].qp": "a", "rail[1].qp": "b" } },
    "regions": { "f": { "rail[0].at": "a:x", "rail[1].at": "a:y" } } })");
  EXPECT_EQ(T.peers("f", "rail[1].qp"), std::vector<std::string>{"b"});
  EXPECT_EQ(T.peers("f", "rail[*].qp"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(T.regions("f", "rail[*].at").size(), 2u);
  EXPECT_TRUE(T.peers("f", "other.qp").empty());
}

TEST(Topology, QueuesOfSendsAndOfReceives) {
  Topology T = readTopology("t.json", R"({ "nodes": { "n": { "entries": ["f"] } },
    "queue_pairs": { "f": { "rail[*].qp": { "node": "n", "send_cq": "sent", "recv_cq": "rail[*].got" } } } })");
  std::optional<CompletionFacts> Facts = T.completions("f", "rail[2].qp");
  ASSERT_TRUE(Facts);
  EXPECT_EQ(Facts->queue(false), "sent");
  EXPECT_EQ(Facts->queue(true), "rail[2].got");
  EXPECT_FALSE(Facts->SqSigAll);
}

TEST(Topology, CountsOfNodes) {
  Topology T =
      readTopology("t.json", R"({ "nodes": { "a": { "count": "*" }, "b": { "count": 3 }, "c": {} } })");
  ASSERT_EQ(T.Nodes.size(), 3u);
  EXPECT_EQ(T.Nodes[0].Count, 0u);
  EXPECT_EQ(T.Nodes[1].Count, 3u);
  EXPECT_EQ(T.Nodes[2].Count, 1u);
}

std::string messageOf(const std::string &Text) {
  try {
    readTopology("t.json", Text);
  } catch (const InputError &E) {
    return E.what();
  }
  return "accepted";
}

TEST(Topology, WhatIsWrongIsSaid) {
  EXPECT_EQ(messageOf("{\n \"nodes\": {,}\n}").rfind("t.json:2:", 0), 0u);
  EXPECT_NE(messageOf(R"({"nodes": {"a": {}}, "edges": {}})").find("unknown key \"edges\""),
            std::string::npos);
  EXPECT_NE(messageOf(R"({"nodes": {"a": {"entries": ["f"]}}, "queue_pairs": {"f": {"q": "b"}}})")
                .find("no node 'b'"),
            std::string::npos);
  EXPECT_NE(messageOf(R"({"nodes": {"a": {}}, "queue_pairs": {"f": {}}})").find("entry of no node"),
            std::string::npos);
  EXPECT_NE(
      messageOf(R"({"nodes": {"a": {"entries": ["f"]}}, "regions": {"f": {"q": "a"}}})").find("node:object"),
      std::string::npos);
}

TEST(Topology, CopiesOfANode) {
  Extraction E = extractC(
      "void run(void) { struct conn c; connect_all(&c); post(&c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0); }",
      R"({ "nodes": { "left": { "count": "*", "entries": ["run"] }, "right": {} },
                               "queue_pairs": { "run": { "c.qp": "right" } }, "regions": { "run": { "c.remote": "right:theirs" } } })");
  ASSERT_EQ(E.Code.Threads.size(), 3u);
  EXPECT_FALSE(E.Code.Threads[0].Many);
  EXPECT_FALSE(E.Code.Threads[1].Many);
  EXPECT_TRUE(E.Code.Threads[2].Many);
  unsigned Mine = 0, Theirs = 0;
  for (const Object &O : E.Code.Objects)
    Mine += O.Name == "mine", Theirs += O.Name == "theirs";
  EXPECT_EQ(Mine, 3u);
  EXPECT_EQ(Theirs, 1u);
}

TEST(Topology, WithoutOneEachQueuePairIsANode) {
  Extraction E = extractC(R"(
    int main(void) {
      struct conn a, b;
      connect_all(&a);
      connect_all(&b);
      post(&a, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0);
      post(&b, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0);
      post(&a, IBV_WR_RDMA_READ, 0, &mine.second, 8, 8);
    })",
                          "");
  EXPECT_FALSE(E.Code.Closed);
  ASSERT_EQ(E.Code.QueuePairs.size(), 2u);
  EXPECT_NE(E.Code.QueuePairs[0].Target, E.Code.QueuePairs[1].Target);
  unsigned Anything = 0;
  for (const Object &O : E.Code.Objects)
    Anything += O.Anything;
  EXPECT_EQ(Anything, 2u);
}

TEST(Topology, ALibraryIsAThreadForEachFunction) {
  Extraction E = extractC("void one(struct conn *c) { post(c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0); }"
                          "void two(struct conn *c) { post(c, IBV_WR_RDMA_READ, 0, &mine.first, 8, 0); }",
                          "");
  ASSERT_EQ(E.Code.Threads.size(), 2u);
  EXPECT_EQ(E.Code.QueuePairs.at(0).Name, "c->qp");
}

} // namespace
} // namespace rdma::test

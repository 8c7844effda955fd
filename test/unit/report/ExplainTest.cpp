#include "analyzer/report/Explain.h"

#include "analyzer/core/Reasons.h"
#include "analyzer/report/Formats.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

using namespace rdma;

namespace {

Program program(const std::string &Body) {
  return parseLitmus("litmus \"t\"\nnode 1 { x; a; }\nnode 2 { y; z; b; }\n" + Body, "t.litmus").Code;
}

std::vector<Finding> findings(const Program &P) { return explain(P, decide(P, Model::RdmaTso)); }

TEST(Explain, WarnsAtTheLaterOperationAndNotesTheEarlier) {
  Program P = program("thread 1 @ 1 {\n  put y <- x;\n  x := 1;\n}\n");
  std::vector<Finding> F = findings(P);
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Check, "rdma-local-race");
  EXPECT_EQ(F[0].Main.At.Line, 6u);
  EXPECT_EQ(F[0].Main.Text, "'x' may change before the NIC has read 'x'");
  ASSERT_EQ(F[0].Notes.size(), 2u);
  EXPECT_EQ(F[0].Notes[0].At.Line, 5u);
  EXPECT_EQ(F[0].Notes[1].Text, "poll the completion of the earlier request before this");
}

TEST(Explain, SaysOnceWhatBothWaysOfABranchShare) {
  Program P = program("thread 1 @ 1 {\n  rcas a <- y (0, 1);\n  a := 2;\n}\n");
  EXPECT_EQ(findings(P).size(), 1u);
}

TEST(Explain, RemarksStayRemarks) {
  Program P = program("thread 1 @ 1 { mfence; }");
  P.Remarks.push_back({{{{"f.c", 3, 4, "main"}}}, Said::asRead("opcode is not known here"), false});
  std::vector<Finding> F = findings(P);
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Level, Severity::Remark);
  Summary S = summarize(P, decide(P, Model::RdmaTso), Model::RdmaTso);
  EXPECT_FALSE(S.Robust) << "a place that was left out cannot be called robust";
  EXPECT_EQ(S.SitesNotAnalysed, 1u);
}

Standing standingOf(const std::string &Text) {
  Program P = parseLitmus("litmus \"t\"\n" + Text, "t.litmus").Code;
  Verdict V = judge(P, Model::RdmaTso);
  return standing(summarize(P, V, Model::RdmaTso));
}

TEST(Explain, WhatMayBeOneMemoryIsNotProved) {
  const std::string Race = "node 2 { y; }\nthread 1 @ 1 { put y <- in; out := 1; poll(2); }";
  EXPECT_EQ(standingOf("node 1 { in kin 1; out kin 1; }\n" + Race), Standing::NotProved);
  EXPECT_EQ(standingOf("node 1 { in kin 1; out kin 2; }\n" + Race), Standing::Robust);
  EXPECT_EQ(standingOf("node 1 { in; out; }\n" + Race), Standing::Robust);
  // A part may be what a pointer leads to, and is no other part; outside of it is no such memory.
  EXPECT_EQ(standingOf("node 1 { in holds kin 1[0, 8]; out kin 1; }\n" + Race), Standing::NotProved);
  EXPECT_EQ(standingOf("node 1 { in holds kin 1[0, 8]; out holds kin 1[0, 8]; }\n" + Race), Standing::Robust);
  const std::string Tail = "node 1 { ring holds kin 1[0, 8]; in = ring[8, 16]; out kin 1; }\n";
  EXPECT_EQ(standingOf(Tail + Race), Standing::Robust);
  // Other members of two elements of one type are apart.
  auto members = [&](const std::string &Put, const std::string &Stored) {
    return standingOf("node 1 { a kin 1 every 8; in = a[" + Put + "]; b kin 1 every 8; out = b[" + Stored +
                      "]; }\n" + Race);
  };
  EXPECT_EQ(members("0, 4", "12, 16"), Standing::Robust);
  EXPECT_EQ(members("0, 4", "8, 12"), Standing::NotProved);
  EXPECT_EQ(members("6, 9", "0, 2"), Standing::NotProved);
  EXPECT_EQ(members("0, 8", "4, 5"), Standing::NotProved);
  EXPECT_EQ(members("8, end", "4, 5"), Standing::NotProved);
  // Two that write one word and read the other, which each calls by names of its own.
  const std::string Dekker = "thread 1 @ 1 { x := 1; r := y; }\nthread 2 @ 1 { v := 1; s := u; }";
  EXPECT_EQ(standingOf("node 1 { x kin 1; u kin 1; y kin 2; v kin 2; r; s; }\n" + Dekker),
            Standing::NotProved);
  EXPECT_EQ(standingOf("node 1 { x kin 1; u kin 3; y kin 2; v kin 2; r; s; }\n" + Dekker), Standing::Robust);
}

TEST(Explain, WithoutATopologyNothingIsRobust) {
  Program P = program("thread 1 @ 1 { mfence; }");
  EXPECT_TRUE(summarize(P, decide(P, Model::RdmaTso), Model::RdmaTso).Robust);
  P.Closed = false;
  EXPECT_FALSE(summarize(P, decide(P, Model::RdmaTso), Model::RdmaTso).Robust);
}

TEST(Formats, JsonHoldsEveryVerdictOfTheContract) {
  Program P = program("thread 1 @ 1 { put y <- x; x := 1; }");
  Verdict V = decide(P, Model::RdmaTso);
  nlohmann::json J = asJson(explain(P, V), V, summarize(P, V, Model::RdmaTso));
  for (const char *Key : {"ldrf", "fenced", "tree-fenced", "atomics", "cycles", "robust"})
    EXPECT_TRUE(J.at(Key).is_boolean()) << Key;
  EXPECT_EQ(J["ldrf"], false);
  EXPECT_EQ(J["findings"].size(), 1u);
}

TEST(Formats, TheHonestLineCounts) {
  Summary S{.Operations = 1,
            .QueuePairs = 2,
            .PairsOrdered = 3,
            .PairsNotOrdered = 1,
            .SitesNotAnalysed = 1,
            .Model = ""};
  EXPECT_EQ(honestLine({{"rdma-fenced", Severity::Warning, {}}}, S, 0.25),
            "1 finding; 1 operation on 2 queue pairs analysed; 3 pairs ordered, 1 not, 0 not proved; "
            "1 site not analysed (0.25 s)\nrdma-tidy: not robust as far as the findings above tell\n");
}

} // namespace

#include "ir/Litmus.h"

#include "ir/Json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace rdma;

namespace {

std::vector<std::string> paperTests() {
  std::vector<std::string> Files;
  for (auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus"))
    if (Entry.path().extension() == ".litmus")
      Files.push_back(Entry.path().string());
  std::sort(Files.begin(), Files.end());
  return Files;
}

std::string errorOf(const std::string &Text) {
  try {
    parseLitmus(Text, "t.litmus");
  } catch (const InputError &E) {
    return E.what();
  }
  return "no error";
}

TEST(Litmus, ReadsEveryPaperTest) {
  unsigned Assertions = 0;
  std::vector<std::string> Files = paperTests();
  for (const std::string &File : Files)
    Assertions += readLitmus(File).Assertions.size();
  EXPECT_EQ(Files.size(), 95u);
  EXPECT_EQ(Assertions, 307u);
}

TEST(Litmus, WritesWhatItReads) {
  for (const std::string &File : paperTests()) {
    LitmusTest Test = readLitmus(File);
    std::string Once = writeLitmus(Test);
    LitmusTest Again = parseLitmus(Once, File);
    EXPECT_EQ(Once, writeLitmus(Again));
    ASSERT_EQ(Test.Assertions.size(), Again.Assertions.size());
    for (size_t I = 0; I < Test.Assertions.size(); ++I) {
      EXPECT_EQ(Test.Assertions[I].Text, Again.Assertions[I].Text);
      EXPECT_EQ(Test.Assertions[I].Models, Again.Assertions[I].Models) << Once;
    }
  }
}

TEST(Litmus, KeepsQueuePairsApart) {
  std::string Text = "litmus \"t\"\n\nnode 1 { a; }\nnode 2 { x; y; }\nnode 3 { z; }\nqueue cq1;\n\n"
                     "thread 1 @ 1 {\n"
                     "  pair back -> 2;\n"
                     "  pair left -> 2 queue cq1;\n"
                     "  pair right -> 3 queue cq1;\n"
                     "  pair lost -> 3 queue unknown;\n"
                     "  put x <- a via back #d fenced;\n"
                     "  get a <- y via left;\n"
                     "  put z <- a via right;\n"
                     "  rcas a <- z (0, 1) via lost;\n"
                     "  rfence(left);\n"
                     "  poll(back);\n"
                     "  poll(cq1);\n"
                     "}\n"
                     "thread 2 @ 1 many {\n"
                     "  poll(cq1);\n"
                     "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  EXPECT_EQ(writeLitmus(P), Text);
  ASSERT_EQ(P.QueuePairs.size(), 4u);
  EXPECT_EQ(P.QueuePairs[1].Queue, P.QueuePairs[2].Queue);
  EXPECT_EQ(P.QueuePairs[3].Queue, None);
  EXPECT_TRUE(P.Threads[1].Many);
}

TEST(Litmus, NamesQueuePairsOnlyWhereNeedBe) {
  Program P = parseLitmus("litmus \"t\" node 1 { a; } node 2 { x; }\n"
                          "thread 1 @ 1 { put x <- a via q; gfence(q); poll(q); }",
                          "t.litmus")
                  .Code;
  std::string Written = writeLitmus(P);
  EXPECT_NE(Written.find("put x <- a;"), std::string::npos) << Written;
  EXPECT_NE(Written.find("poll(2);"), std::string::npos) << Written;
}

TEST(Litmus, KeepsWhichRequestsAreOnOneOfSeveralQueuePairs) {
  const std::string Text = "litmus \"t\"\n\nnode 1 { a; b; }\nnode 2 { x; }\n\n"
                           "thread 1 @ 1 {\n"
                           "  pair p -> 2;\n"
                           "  pair q -> 2;\n"
                           "  choose {\n"
                           "    at(3) get a <- x via p;\n"
                           "  } or {\n"
                           "    at(3) get b <- x via q;\n"
                           "  }\n"
                           "  get a <- x via q;\n"
                           "  put x <- a via p;\n"
                           "}\n";
  EXPECT_EQ(writeLitmus(parseLitmus(Text, "t").Code), Text);
}

TEST(Litmus, KeepsWhatCountingHasProved) {
  std::string Text =
      "litmus \"t\"\n\nnode 1 { a; b; }\nnode 2 { x; }\nopen b, x;\nremark \"who else looks\";\n\n"
      "thread 1 @ 1 {\n"
      "  put x <- a #d counted unsignaled;\n"
      "  get b <- x #e counted;\n"
      "  clear(d, e) a := 1;\n"
      "  at(7) clear(d) one(3) unshown b := 2;\n"
      "  wait(d);\n"
      "  put x <- a #f;\n"
      "  wait(f);\n"
      "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  const std::vector<Statement> &S = P.Threads[0].Statements; // the first does nothing
  EXPECT_TRUE(S[1].Op.Counted && S[2].Op.Counted && S[5].Op.Counted);
  EXPECT_FALSE(S[6].Op.Counted || S[7].Op.Counted);
  EXPECT_TRUE(S[4].Source == 7 && S[4].Op.OneOf == 3 && S[3].Op.OneOf == None);
  EXPECT_TRUE(S[4].Op.Unshown && !S[3].Op.Unshown && !S[5].Op.Unshown);
  EXPECT_EQ(S[3].ClearOf, (std::vector<WorkId>{S[1].Op.Id, S[2].Op.Id}));
  EXPECT_TRUE(P.OpenWorld && P.Objects[S[2].Op.Local.Target].RemoteAccess);
  EXPECT_FALSE(P.Objects[S[1].Op.Local.Target].RemoteAccess);
  ASSERT_EQ(P.Remarks.size(), 1u);
  EXPECT_FALSE(P.Remarks[0].Covered);
  EXPECT_EQ(writeLitmus(parseLitmus(writeLitmus(P), "t").Code), writeLitmus(P));
  Program Json = parseProgramJson(toJson(P).dump(), "t.json");
  EXPECT_EQ(Json.Threads[0].Statements[3].ClearOf, S[3].ClearOf);
}

TEST(Litmus, KeepsWhatIsNotKnown) {
  std::string Text =
      "litmus \"t\"\n\n"
      "node 1 { heap unknown; pool = 3 several kin 2; tmp apart; ring kin 2 every 8 holds kin 3[0, 64] holds "
      "kin 4[8, end] every 16; head = ring[0, 8]; slot = "
      "ring[0, end] "
      "somewhere; }\n"
      "node 2 { x; }\nqueue cq1;\nothers unknown;\n"
      "lost fact1 \"whose\" tell \"name it\";\nlost fact2 \"how many\" tell \"count\" queue cq1 anything;\n\n"
      "thread 1 @ 1 {\n"
      "  pair p -> 2 queue cq1;\n"
      "  pair q -> 2 queue unknown lost fact1;\n"
      "  shown(3, 5);\n"
      "  at(3) put x <- heap via p unsignaled lost fact1;\n"
      "  get tmp <- x via q;\n"
      "  lost(fact2);\n"
      "  at(5) heap := unknown;\n"
      "  head := cas(slot, unknown, 1) fails;\n"
      "  rcas pool <- x (0, unknown) via q succeeds;\n"
      "  poll(unknown);\n"
      "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  EXPECT_FALSE(P.Closed);
  EXPECT_TRUE(P.Objects[0].Anything && P.Objects[1].Several && P.Objects[2].Unaliased);
  EXPECT_EQ(P.Objects[1].Initial, 3);
  EXPECT_TRUE(mayOverlap(P, {1}, {3})) << "they are of one kin";
  EXPECT_FALSE(mayOverlap(P, {2}, {3}));
  EXPECT_EQ(toJson(parseProgramJson(toJson(P).dump(), "t.json")), toJson(P));
  const std::vector<Statement> &S = P.Threads[0].Statements; // the first does nothing
  EXPECT_EQ(P.LostFacts[S[1].Lost].Text.text(), "whose");
  EXPECT_EQ(P.LostFacts[S[3].Lost].Queue, P.QueuePairs[0].Queue);
  EXPECT_TRUE(P.LostFacts[S[3].Lost].Everything && !P.LostFacts[S[1].Lost].Everything);
  EXPECT_EQ(P.QueuePairs[1].NoQueue, S[1].Lost);
  EXPECT_EQ(P.ShownOpen, (std::vector<SeenOpen>{{0, S[1].Source, S[4].Source}}));
  EXPECT_FALSE(S[4].Op.Value || S[6].Op.Desired);
  EXPECT_EQ(S[5].Op.Result, (Access{3, 0, 8}));
  EXPECT_EQ(S[5].Op.Local, (Access{.Target = 3, .Somewhere = true}));
  EXPECT_EQ(S[5].Op.Success, Operation::Outcome::Fails);
  EXPECT_EQ(S[6].Op.Success, Operation::Outcome::Succeeds);
  EXPECT_EQ(S[7].Op.Queue, None);
  EXPECT_EQ(writeLitmus(P), Text);
}

TEST(Litmus, SaysWhatIsWrongWithWhatIsNotKnown) {
  std::string Nodes = "litmus \"t\" node 1 { a; b = a[4, 8]; } node 2 { x; } ";
  EXPECT_EQ(errorOf(Nodes + "thread 1 @ 1 { lost(f); }"),
            "t.litmus:1:73: error: nothing lost is called 'f'; declare it outside the threads: lost f "
            "\"WHAT\" tell "
            "\"HOW\";");
  EXPECT_EQ(errorOf(Nodes + "allowed b == 1;"),
            "t.litmus:1:61: error: 'b' is a part of a location, and has no value of its own");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a; b = a[4, 4]; }"),
            "t.litmus:1:33: error: a part ends behind its beginning");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a kin 0; }"), "t.litmus:1:27: error: a kin's number is positive");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a holds kin 1[8, 8]; }"),
            "t.litmus:1:38: error: a part ends behind its beginning");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a kin 1 every 0; }"),
            "t.litmus:1:35: error: the size of an element is positive");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a; } node 2 { b = a[4, 8]; }"),
            "t.litmus:1:39: error: 'a' is no whole location of this node");
  EXPECT_EQ(errorOf("litmus \"t\" lost f \"what\" tell \"how\" queue c;"),
            "t.litmus:1:43: error: no completion queue 'c'");
}

TEST(Litmus, KeepsWhatIsDeregistered) {
  std::string Text = "litmus \"t\"\n\nnode 1 { a; dereg; }\n\n"
                     "thread 1 @ 1 {\n"
                     "  dereg a;\n"
                     "  dereg := 1;\n"
                     "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  EXPECT_EQ(writeLitmus(P), Text);
  EXPECT_EQ(writeLitmus(parseProgramJson(toJson(P).dump(), "t.json")), Text);
}

/// Of a location of litmus text an access is to all of it, of what was extracted perhaps to its first bytes.
TEST(Litmus, KeepsHowFarAnAccessGoes) {
  std::string Text = "litmus \"t\"\n\nnode 1 { word; line bytes; part bytes; head = part[0, 8]; }\n\n"
                     "thread 1 @ 1 {\n"
                     "  word := 1;\n"
                     "  line := 1;\n"
                     "  part := 1;\n"
                     "  head := 1;\n"
                     "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  EXPECT_TRUE(P.Objects[0].Word);
  EXPECT_FALSE(P.Objects[1].Word);
  EXPECT_EQ(writeLitmus(P), Text);
  EXPECT_EQ(writeLitmus(parseProgramJson(toJson(P).dump(), "t.json")), Text);
}

TEST(Litmus, KeepsWhichReadsFindAnotherNumberEachTime) {
  const std::string Text = "litmus \"t\"\n\nnode 1 { a; b; }\nlost fact1 \"which\" tell \"say it\";\n\n"
                           "thread 1 @ 1 {\n"
                           "  assume(a renewed 3) lost fact1;\n"
                           "  assume(b renewed 4, -1);\n"
                           "}\n";
  const Program P = parseLitmus(Text, "t.litmus").Code;
  const std::vector<Statement> &S = P.Threads[0].Statements; // the first does nothing
  EXPECT_TRUE(S[1].Op.Kind == OperationKind::Load && S[1].Op.Renewed == 3 && !S[1].Op.RenewedFrom);
  EXPECT_TRUE(S[2].Op.Renewed == 4 && S[2].Op.RenewedFrom == -1 && S[2].Lost == None);
  EXPECT_EQ(writeLitmus(P), Text);
  const Program Json = parseProgramJson(toJson(P).dump(), "t.json");
  EXPECT_EQ(Json.Threads[0].Statements[1].Op, S[1].Op);
  EXPECT_EQ(Json.Threads[0].Statements[2].Op, S[2].Op);
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { a; } thread 1 @ 1 { assume(a renewed a); }"),
            "t.litmus:1:58: error: expected a number for what is read, found 'a'");
}

/// Parts of a location of litmus text hold 0 at first, but for one of which that is not known.
TEST(Litmus, KeepsWhetherPartsHoldZerosAtFirst) {
  std::string Text = "litmus \"t\"\n\nnode 1 { here; a = here[0, 8]; there unset; b = there[0, 8]; }\n\n"
                     "thread 1 @ 1 {\n"
                     "  assume(a == 1);\n"
                     "  assume(b == 1);\n"
                     "}\n";
  Program P = parseLitmus(Text, "t.litmus").Code;
  EXPECT_TRUE(P.Objects[0].Zeros);
  EXPECT_FALSE(P.Objects[1].Zeros);
  EXPECT_FALSE(parseLitmus("litmus \"t\" node 1 { x = 2; } thread 1 @ 1 { }", "t").Code.Objects[0].Zeros);
  EXPECT_EQ(writeLitmus(P), Text);
  EXPECT_EQ(writeLitmus(parseProgramJson(toJson(P).dump(), "t.json")), Text);
}

TEST(Litmus, SaysWhatIsWrongWithAnIdentifier) {
  std::string Nodes = "litmus \"t\" node 1 { a; } node 2 { x; } thread 1 @ 1 { ";
  EXPECT_EQ(errorOf(Nodes + "put x <- a #d counted; put x <- a #d; }"),
            "t.litmus:1:78: error: 'd' marks requests that are counted and others");
  EXPECT_EQ(errorOf(Nodes + "put x <- a counted; }"),
            "t.litmus:1:66: error: expected ';' or a flag, found 'counted'");
  EXPECT_EQ(errorOf(Nodes + "unshown mfence; }"),
            "t.litmus:1:63: error: expected an assignment behind 'unshown'");
  EXPECT_EQ(errorOf(Nodes + "clear(d) loop { } }"),
            "t.litmus:1:64: error: expected one operation behind 'clear'");
  EXPECT_EQ(errorOf(Nodes + "} remark 1;"),
            "t.litmus:1:64: error: expected what is not known in quotes, found '1'");
}

TEST(Litmus, SaysWhatIsWrongWithAQueuePair) {
  std::string Nodes = "litmus \"t\" node 1 { a; } node 2 { x; } node 3 { y; } queue c; thread 1 @ 1 { ";
  EXPECT_EQ(errorOf(Nodes + "rfence(q); }"),
            "t.litmus:1:85: error: no queue pair 'q' yet; declare it: pair q -> NODE;");
  EXPECT_EQ(errorOf(Nodes + "put x <- a via q; put y <- a via q; }"),
            "t.litmus:1:111: error: queue pair 'q' leads to node 2");
  EXPECT_EQ(errorOf(Nodes + "pair q -> 2; pair q -> 3; }"),
            "t.litmus:1:96: error: queue pair 'q' is declared twice");
  EXPECT_EQ(errorOf(Nodes + "pair q -> 2 queue d; }"),
            "t.litmus:1:96: error: no completion queue 'd'; declare it outside the threads: queue d;");
  EXPECT_EQ(errorOf(Nodes + "put x <- a via c; }"), "t.litmus:1:93: error: 'c' is a completion queue");
  EXPECT_EQ(errorOf(Nodes + "pair q -> 2 queue unknown; poll(q); }"),
            "t.litmus:1:110: error: the completion queue of 'q' is not known");
  EXPECT_EQ(errorOf("litmus \"t\" queue c, c;"),
            "t.litmus:1:21: error: completion queue 'c' is declared twice");
}

TEST(Litmus, KeepsControlFlowAndFlags) {
  const char *Body = R"(  loop {
    put y <- x unsignaled;
    poll(2);
  }
  choose {
    get x <- y #d;
    wait(d);
  }
 or {
    x := cas(x, 0, x + 1);
  }
 or {
  }
  rcas x <- y (-1, x) fenced;
)";
  std::string Text =
      "litmus \"t\"\nnode 1 { x; } node 2 { y; }\nthread 1 @ 1 {\n" + std::string(Body) + "}\n";
  std::string Written = writeLitmus(parseLitmus(Text, "t"));
  for (const char *Line : {"    put y <- x unsignaled;\n    poll(2);\n", "    get x <- y #d;\n    wait(d);\n",
                           "    x := cas(x, 0, x + 1);\n", "  rcas x <- y (-1, x) fenced;\n"})
    EXPECT_NE(Written.find(Line), std::string::npos) << Written;
  EXPECT_EQ(Written, writeLitmus(parseLitmus(Written, "t")));
}

TEST(Litmus, NamesThePlaceOfAnError) {
  EXPECT_EQ(errorOf("litmus \"t\"\nnode 1 { x; }\nthread 1 @ 1 {\n  y := 1;\n}"),
            "t.litmus:4:3: error: no location 'y'");
  EXPECT_EQ(errorOf("litmus \"t\"\nnode 1 { x }"), "t.litmus:2:12: error: expected ';', found '}'");
  EXPECT_EQ(errorOf("litmus \"t\"\nnode 1 { x; x; }"),
            "t.litmus:2:13: error: location 'x' is declared twice");
  EXPECT_EQ(errorOf("litmus \"t\"\nnode 1 { x; } node 2 { y; }\nthread 1 @ 1 { put y <- y; }"),
            "t.litmus:3:25: error: 'y' is not on the thread's own node");
  EXPECT_EQ(errorOf("litmus \"t\nnode"), "t.litmus:1:8: error: string without closing quote");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { x = 99999999999999999999; }"),
            "t.litmus:1:25: error: number '99999999999999999999' is too large");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 { x; } thread 1 @ 1 { x := 1; "),
            "t.litmus:1:49: error: expected '}', found 'end of file'");
}

TEST(Litmus, PutFromANumberHasAFreshSource) {
  LitmusTest T = parseLitmus("litmus \"t\" node 1 {} node 2 { y; } thread 1 @ 1 { put y <- -7; }", "t");
  const Operation &Op = T.Code.Threads[0].Statements[1].Op;
  EXPECT_TRUE(T.Code.Objects[Op.Local.Target].Fresh);
  EXPECT_EQ(T.Code.Objects[Op.Local.Target].Initial, -7);
}

TEST(Litmus, ConditionsFollowPrecedence) {
  LitmusTest T = parseLitmus("litmus \"t\" node 1 { a; b; c; } allowed a == 1 || b == 1 && c != 0;", "t");
  const Condition &C = T.Assertions[0].When;
  EXPECT_TRUE(C.holds({1, 0, 0}));
  EXPECT_FALSE(C.holds({0, 1, 0}));
  EXPECT_TRUE(C.holds({0, 1, 5}));
  EXPECT_EQ(T.Assertions[0].Text, "allowed a == 1 || b == 1 && c != 0");
}

TEST(Litmus, NumbersArePositive) {
  EXPECT_EQ(errorOf("litmus \"t\" node 0 {}"), "t.litmus:1:17: error: a node's number is positive");
  EXPECT_EQ(errorOf("litmus \"t\" node 1 {}\nthread 0 @ 1 {}"),
            "t.litmus:2:8: error: a thread's number is positive");
  Program P = parseLitmus("litmus \"t\" node 1 { x; } node 2 { y; }", "t").Code;
  P.Nodes[0].Name = "0";
  P.Nodes[1].Name = "1";
  EXPECT_EQ(errorOf(writeLitmus(P)), "no error");
}

TEST(Litmus, AssertionsAreKeptAsWritten) {
  LitmusTest T = parseLitmus("litmus \"t\" node 1 { a; } forbidden  (a == -1 ||\n a==2); robust no;", "t");
  EXPECT_EQ(T.Assertions[0].Text, "forbidden (a == -1 || a==2)");
  EXPECT_EQ(T.Assertions[1].Text, "robust no");
}

std::string repeated(const std::string &Text, unsigned Times) {
  std::string All;
  while (Times--)
    All += Text;
  return All;
}

TEST(Litmus, NestingHasALimit) {
  const std::string Begin = "litmus \"t\" node 1 { x; }\n", Thread = Begin + "thread 1 @ 1 {\n";
  EXPECT_EQ(errorOf(Thread + repeated("loop {", 100000)), "t.litmus:3:6000: error: nested too deeply");
  EXPECT_EQ(errorOf(Thread + repeated("choose {", 20000)), "t.litmus:3:8000: error: nested too deeply");
  EXPECT_EQ(errorOf(Begin + "allowed\n" + repeated("(", 200000)),
            "t.litmus:3:1001: error: nested too deeply");
  EXPECT_EQ(errorOf(Begin + "allowed " + repeated("(", 1000) + "x == 0" + repeated(")", 1000) + ";"),
            "no error");
}

} // namespace

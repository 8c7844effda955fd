// Threads that take turns: a request and its answer by words in memory, again and again.
#include "Expect.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"

using namespace rdma;
using namespace rdma::test;

/// What the two do in each of two rounds; # is the round.
static Program rounds(const std::string &Asks, const std::string &Answers,
                      const std::string &Words = "back; } node 2 { box;", const std::string &Pairs = "",
                      const std::string &More = "") {
  auto twice = [](const std::string &Round) {
    std::string Text;
    for (const char *Number : {"1", "2"})
      for (char C : Round)
        Text += C == '#' ? std::string(Number) : std::string(1, C);
    return Text;
  };
  return parseLitmus("litmus \"t\" node 1 { copy; got; " + Words + " data; seen; }\n" + "thread 1 @ 1 { " +
                         Pairs + twice(Asks) + " }\nthread 2 @ 2 { " + twice(Answers) + " }\n" + More,
                     "t")
      .Code;
}

static const std::string Boxes = "back; } node 2 { box;";
static const std::string Ask = "put data <- #; put box <- 1; assume(back == 1); got := copy; back := 0; ";
static const std::string Answer = "assume(box == 1); seen := data; box := 0; put copy <- #; put back <- 1; ";

static bool isInOrder(const Program &P) { return decide(P, Model::RdmaTso).Cycles; }

static void expectInTurn(const Program &P) {
  SCOPED_TRACE(writeLitmus(P));
  EXPECT_TRUE(isInOrder(P));
  EXPECT_EQ(explorer::checkRobust(P, Model::RdmaTso).Robust, std::optional(true));
}

TEST(Turns, SetTheirWordsBack) { expectInTurn(rounds(Ask, Answer)); }
TEST(Turns, CountTheirRounds) {
  expectInTurn(rounds("put data <- #; put box <- #; assume(back == #); got := copy; ",
                      "assume(box == #); seen := data; put copy <- #; put back <- #; "));
}
TEST(Turns, FindAnotherNumberEachTime) {
  const std::string Asked = "put data <- #; put box <- #; assume(back renewed 1, 1); got := copy; ";
  const std::string Answered = "assume(box renewed 2, 1); seen := data; put copy <- #; put back <- #; ";
  EXPECT_TRUE(isInOrder(rounds(Asked, Answered)));
  // A number that somebody puts there himself is none of the other's.
  EXPECT_FALSE(isInOrder(rounds(Asked + "back := 0; ", Answered)));
  const std::string Unknown = "put data <- #; put box <- #; got := back; got := copy; ";
  EXPECT_FALSE(isInOrder(rounds(Unknown, Answered)));
  // The first number may be there already.
  auto found = [](const std::string &First, const std::string &Words) {
    return isInOrder(
        rounds("put box <- #; choose { } or { got := back; } assume(back renewed 1" + First + "); ",
               "assume(box renewed 2" + First + "); put back <- #; ", Words));
  };
  EXPECT_TRUE(found(", 1", Boxes));
  EXPECT_FALSE(found("", Boxes));
  EXPECT_FALSE(found(", 1", "back = 1; } node 2 { box = 1;"));
}
TEST(Turns, MeetInOneWord) {
  const Program P =
      parseLitmus("litmus \"t\" node 1 { turn; x; r; } node 2 { far; }\n"
                  "thread 1 @ 1 { loop { assume(turn == 0); x := 1; turn := 1; } }\n"
                  "thread 2 @ 1 { loop { assume(turn == 1); put far <- x; poll(2); turn := 0; } }",
                  "t")
          .Code;
  EXPECT_TRUE(isInOrder(P));
}

/// One that goes on without the other's next write has not waited for it.
TEST(Turns, AreNoneWhereOldWritesLetPass) {
  const std::string Kept = "put data <- #; put box <- 1; assume(back == 1); got := copy; ";
  EXPECT_FALSE(isInOrder(rounds(Kept, Answer)));
  EXPECT_FALSE(isInOrder(rounds(Kept + "choose { back := 0; } or { } ", Answer)));
  EXPECT_FALSE(isInOrder(rounds(Kept + "back := 1; ", Answer)));
  EXPECT_FALSE(isInOrder(rounds(Kept + "choose { back := 0; } or { back := 1; } ", Answer)));
  EXPECT_FALSE(isInOrder(rounds(Kept + "choose { back := 1; } or { back := 0; } ", Answer)));
  EXPECT_FALSE(isInOrder(rounds(Kept + "put back <- 0; ", Answer)));
  const std::string Wide = "line; back = line[0, 8]; wide = line[0, 16]; } node 2 { box;";
  EXPECT_TRUE(isInOrder(rounds(Ask, Answer, Wide)));
  EXPECT_FALSE(isInOrder(rounds(Ask + "wide := 1; ", Answer, Wide)));
  EXPECT_FALSE(isInOrder(rounds("put data <- #; put box <- 1; assume(back != 0); got := copy; ", Answer)));
  EXPECT_FALSE(isInOrder(rounds("put data <- #; put box <- 1; choose { assume(back == 1); } or { } "
                                "got := copy; back := 0; ",
                                Answer)));
}
TEST(Turns, AreNoneWhereSomebodyElseWrites) {
  for (const char *Third : {"thread 3 @ 1 { back := 1; }", "thread 3 @ 2 { put back <- 1; }"}) {
    Program P = rounds(Ask, Answer, Boxes, "", Third);
    EXPECT_FALSE(isInOrder(P));
    std::swap(P.Threads[1].Statements, P.Threads[2].Statements);
    std::swap(P.Threads[1].Home, P.Threads[2].Home);
    for (QueuePair &Pair : P.QueuePairs)
      Pair.Owner = Pair.Owner == 0 ? 0 : 3 - Pair.Owner;
    EXPECT_FALSE(isInOrder(P));
  }
}

/// Only what comes before the word is told by it.
TEST(Turns, TellOfNothingThatIsNotBefore) {
  const std::string Two = "pair a -> 2; pair b -> 2; ";
  const Program Beside = rounds("put data <- # via b; put box <- 1 via a; assume(back == 1); back := 0; ",
                                "assume(box == 1); seen := data; box := 0; put back <- 1; ", Boxes, Two);
  EXPECT_FALSE(isInOrder(Beside));
  EXPECT_EQ(explorer::checkRobust(Beside, Model::RdmaTso).Robust, std::optional(false));
  expectInTurn(rounds("put data <- # via a; put box <- 1 via a; assume(back == 1); back := 0; ",
                      "assume(box == 1); seen := data; box := 0; put back <- 1; ", Boxes, Two));
}

/// Who finds a number there at first that lets it pass is a round ahead.
TEST(Turns, AskWhatIsThereAtFirst) {
  const std::string Looks = "put box <- 1; choose { } or { got := back; } assume(back == 1); back := 0; ";
  const std::string Tells = "assume(box == 1); box := 0; put back <- 1; ";
  auto found = [&](const std::string &Here, const std::string &There) {
    return isInOrder(rounds(Looks, Tells, Here + " } node 2 { " + There));
  };
  EXPECT_TRUE(found("back;", "box;"));
  EXPECT_TRUE(found("here; back = here[0, 8];", "there; box = there[0, 8];"));
  EXPECT_FALSE(found("here unset; back = here[0, 8];", "there unset; box = there[0, 8];"));
  EXPECT_FALSE(found("back = 1;", "box = 1;"));
}

// Critical sections of a lock exclude each other: what only an overlap could show is not seen.
#include "Expect.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"

using namespace rdma;
using namespace rdma::test;

namespace {

/// One thread sends a page and says so in its section; another writes the page, in its own, if that was said.
Program sections(const std::string &First, const std::string &Second, const std::string &More = "") {
  return parseLitmus("litmus \"t\" node 1 { lock; page; posted; r; s; q; } node 2 { inbox; }\n"
                     "thread 1 @ 1 { " +
                         First + " }\nthread 2 @ 1 { " + Second + " }\n" + More,
                     "t")
      .Code;
}

const std::string Take = "r := cas(lock, 0, 1) succeeds; ", Give = "r := cas(lock, 1, 0); ";
const std::string Send = "put inbox <- page; posted := 1; ";
const std::string Reuse = "s := cas(lock, 0, 1) succeeds; q := posted; "
                          "choose { assume(q == 1); page := 1; } or { assume(q != 1); } "
                          "s := cas(lock, 1, 0) succeeds;";

/// The conditions and the truth.
void expectOrder(const Program &P, bool Ordered) {
  EXPECT_EQ(decide(P, Model::RdmaTso).Cycles, Ordered) << writeLitmus(P);
  EXPECT_EQ(explorer::checkRobust(P, Model::RdmaTso).Robust, std::optional(Ordered));
}

} // namespace

TEST(Sections, ExcludeEachOther) { expectOrder(sections(Take + Send + "poll(2); " + Give, Reuse), true); }
TEST(Sections, EndBeforeWhatIsNotAwaitedInThem) {
  expectOrder(sections(Take + Send + Give + "poll(2);", Reuse), false);
}
TEST(Sections, MayBeGivenBackByAStore) {
  expectOrder(sections(Take + Send + "poll(2); lock := 0;", Reuse), true);
  expectOrder(sections(Take + Send + "lock := 0; poll(2);", Reuse), false);
  expectOrder(sections(Take + Send + "poll(2); lock := 0;", Reuse, "thread 3 @ 1 { lock := 0; }"), false);
  expectOrder(sections("lock := cas(lock, 0, 1) succeeds; " + Send + "poll(2); " + Give, Reuse), false);
}
TEST(Sections, NeedTheLockInBoth) {
  expectOrder(sections(Send + "poll(2); ", Reuse), false);
  expectOrder(sections(Send + Take + "poll(2); " + Give, Reuse), false);
}
TEST(Sections, NeedTheLockOnEachWay) {
  const std::string Sends = Send + "poll(2); ";
  expectOrder(sections("choose { " + Take + Sends + Give + "} or { " + Sends + "}", Reuse), false);
}
TEST(Sections, AreOpenedByWhoGivesBackWhatAnotherHolds) {
  expectOrder(sections(Take + Send + "poll(2); " + Give, Reuse, "thread 3 @ 1 { " + Give + " }"), false);
  expectOrder(sections(Take + Send + "poll(2); " + Give, Reuse, "thread 3 @ 2 { put lock <- 0; }"), false);
}

TEST(Sections, AreSound) { expectSound(900'000, 3000, {.MaxStatements = 5, .Sections = true}); }
TEST(Sections, AreSoundBesideChoices) {
  expectSound(910'000, 1500, {.MaxStatements = 5, .Choices = true, .Sections = true});
}
TEST(Sections, AreSoundInLoops) {
  expectSound(920'000, 500, {.MaxThreads = 2, .MaxStatements = 3, .Loops = true, .Sections = true});
}

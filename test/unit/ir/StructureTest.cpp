#include "ir/Structure.h"

#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <set>

using namespace rdma;

namespace {

using Words = std::set<std::vector<StatementId>>;

/// Paths of at most Length statements through the graph, Nops left out.
Words pathsOf(const Thread &T, unsigned Length) {
  Words Result;
  std::set<std::pair<StatementId, std::vector<StatementId>>> Seen, Work = {{T.Entry, {}}};
  while (!Work.empty()) {
    auto [S, Path] = *Work.begin();
    Work.erase(Work.begin());
    if (T.Statements[S].Op.Kind != OperationKind::Nop)
      Path.push_back(S);
    if (Path.size() > Length || !Seen.insert({S, Path}).second)
      continue;
    if (T.Statements[S].Successors.empty())
      Result.insert(Path);
    for (StatementId Next : T.Statements[S].Successors)
      Work.insert({Next, Path});
  }
  return Result;
}

Words concatenated(const Words &A, const Words &B, unsigned Length) {
  Words Result;
  for (const auto &X : A)
    for (const auto &Y : B)
      if (X.size() + Y.size() <= Length) {
        std::vector<StatementId> Word = X;
        Word.insert(Word.end(), Y.begin(), Y.end());
        Result.insert(Word);
      }
  return Result;
}

/// The same words, read off the structured form.
Words wordsOf(const StructuredPtr &E, unsigned Length) {
  Words Result;
  switch (E->What) {
  case Structured::Kind::Statement:
    return {{E->Id}};
  case Structured::Kind::Sequence:
    Result = {{}};
    for (const StructuredPtr &Part : E->Parts)
      Result = concatenated(Result, wordsOf(Part, Length), Length);
    return Result;
  case Structured::Kind::Choice:
    for (const StructuredPtr &Part : E->Parts)
      Result.merge(wordsOf(Part, Length));
    return Result;
  case Structured::Kind::Loop:
    Result = {{}};
    for (std::size_t Before = 0; Before != Result.size();) {
      Before = Result.size();
      Result.merge(concatenated(Result, wordsOf(E->Parts[0], Length), Length));
    }
    return Result;
  }
  return Result;
}

Thread graph(std::vector<std::vector<StatementId>> Successors) {
  Thread T;
  for (auto &Next : Successors)
    T.Statements.push_back({{.Kind = OperationKind::MemoryFence}, {}, Next, 0});
  return T;
}

TEST(Structure, KeepsThePathsOfIrregularGraphs) {
  const std::vector<std::vector<std::vector<StatementId>>> Graphs = {
      {{1}, {2}, {}},                    // straight
      {{1, 2}, {3}, {3}, {}},            // diamond
      {{1}, {2, 3}, {1}, {}},            // loop
      {{1}, {2, 4}, {1, 3}, {}, {}},     // loop with break
      {{1, 2}, {2, 3}, {1, 3}, {}},      // two entries into a cycle
      {{1}, {2}, {1, 3}, {0, 4}, {}},    // nested loops
      {{1, 3}, {2, 4}, {4, 0}, {4}, {}}, // early exits
  };
  for (const auto &G : Graphs) {
    Thread T = graph(G);
    EXPECT_EQ(wordsOf(structure(T), 7), pathsOf(T, 7));
  }
}

TEST(Structure, DoesNotRepeatStatementsOfStructuredCode) {
  Thread Diamond = graph({{1, 2}, {3}, {3}, {}});
  StructuredPtr E = structure(Diamond);
  ASSERT_EQ(E->What, Structured::Kind::Sequence);
  ASSERT_EQ(E->Parts.size(), 3u);
  EXPECT_EQ(E->Parts[1]->What, Structured::Kind::Choice);
}

/// A loop of polls one after another, each with a loop of its own that may also go back to the first.
TEST(Structure, RepeatsLittleOfLoopsThatContinueAnOuterOne) {
  constexpr unsigned Polls = 8, End = 2 * Polls + 1;
  std::vector<std::vector<StatementId>> Successors = {{1}};
  for (unsigned Poll = 1; Poll < End; Poll += 2) {
    Successors.push_back({Poll + 1, Poll + 2});
    Successors.push_back({Poll, 0});
  }
  Successors.push_back({});
  EXPECT_LT(structure(graph(Successors))->Length, 100);
}

} // namespace

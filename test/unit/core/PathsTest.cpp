// The must-analysis on branches and loops: what it calls ordered is ordered by definition on every path.
#include "analyzer/core/GuaranteedBefore.h"

#include "Definition.h"
#include "OrderTable.h"
#include "RandomThreads.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

using namespace rdma;

namespace {

using Path = std::vector<StatementId>;

/// Paths from the entry with few visits of each statement, to where the thread ends or has gone far enough.
std::vector<Path> pathsOf(const Thread &T) {
  std::vector<Path> Found;
  std::map<StatementId, unsigned> Visits;
  Path Way;
  std::function<void(StatementId)> Go = [&](StatementId S) {
    if (Found.size() >= 60 || Visits[S] == 3)
      return;
    ++Visits[S];
    Way.push_back(S);
    if (T.Statements[S].Successors.empty())
      Found.push_back(Way);
    for (StatementId Next : T.Statements[S].Successors)
      Go(Next);
    Way.pop_back();
    --Visits[S];
  };
  Go(T.Entry);
  return Found;
}

/// How far the path runs before a poll finds no completion left to wait for.
std::size_t runsUpTo(const Thread &T, const Path &Way) {
  unsigned Waiting = 0; // for a poll, on the queue pair that is polled
  QueuePairId Polled = None;
  for (StatementId S : Way)
    if (T.Statements[S].Op.Kind == OperationKind::Poll)
      Polled = T.Statements[S].Op.Pair;
  for (std::size_t At = 0; At < Way.size(); ++At) {
    const Operation &Op = T.Statements[Way[At]].Op;
    Waiting += leavesForPolls(Op) && Op.Pair == Polled;
    if (Op.Kind != OperationKind::Poll)
      continue;
    if (Waiting == 0)
      return At;
    --Waiting;
  }
  return Way.size();
}

void expectSound(const std::string &Text, Model M) {
  Program P = parseLitmus(Text, "random.litmus").Code;
  EventGraph G = eventGraph(P, 0);
  GuaranteedBefore Gb(P, G, M);
  OrderTable InOnePass(P, G, M);
  std::map<StatementId, std::vector<EventId>> Of;
  for (EventId E : G.Order)
    if (!G.Events[E].Joins)
      Of[G.Events[E].Ref.Statement].push_back(E);
  std::map<EventId, GuaranteedBefore::After> After;
  for (EventId E : G.Order)
    After.emplace(E, Gb.after(E));
  for (Path Way : pathsOf(P.Threads[0])) {
    Way.resize(runsUpTo(P.Threads[0], Way));
    Program Line = P;
    Line.Threads[0].Statements.clear();
    std::vector<EventId> Events;
    for (StatementId S : Way) {
      Line.Threads[0].Statements.push_back(P.Threads[0].Statements[S]);
      Events.insert(Events.end(), Of[S].begin(), Of[S].end());
    }
    Definition D(Line, M);
    ASSERT_EQ(D.Events.size(), Events.size());
    for (std::size_t I = 0; I < Events.size(); ++I)
      for (std::size_t J = I + 1; J < Events.size(); ++J) {
        ASSERT_TRUE(After.at(Events[I]).Reached[Events[J]]) << Text;
        bool Ordered = After.at(Events[I]).Ordered[Events[J]] || InOnePass.ordered(Events[I], Events[J]);
        ASSERT_TRUE(!Ordered || D.Gb[I][J])
            << name(M) << ": " << name(G.Events[Events[I]].Ref.Kind) << " (event " << I << ") and "
            << name(G.Events[Events[J]].Ref.Kind) << " (event " << J << ") on one path of\n"
            << Text;
      }
  }
}

TEST(Paths, WhatIsOrderedIsOrderedOnEveryPath) {
  for (unsigned Seed = 1; Seed <= 3000 && !testing::Test::HasFatalFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    std::string Text = "litmus \"r\" node 1 { a; b; } node 2 { x; } node 3 { u; }\nthread 1 @ 1 { " +
                       randomBlock(Random, 2) + randomBlock(Random, 2) + "}\n";
    expectSound(Text, Seed % 2 ? Model::RdmaTso : Model::RdmaSc);
  }
}

} // namespace

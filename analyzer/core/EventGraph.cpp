#include "analyzer/core/EventGraph.h"

#include <algorithm>

namespace rdma {
namespace {

class Builder {
public:
  Builder(const Program &P, ThreadIndex Index) : Body(P.Threads[Index]) {
    G.Thread = Index;
    for (StatementId S = 0; S < Body.Statements.size(); ++S) {
      First.push_back(join(S));
      Last.push_back(join(S));
    }
  }

  EventGraph run() {
    for (StatementId S = 0; S < Body.Statements.size(); ++S) {
      for (const SubEvents &Way : expand(Body.Statements[S].Op))
        addWay(S, Way);
      for (StatementId Next : Body.Statements[S].Successors)
        G.Events[Last[S]].Successors.push_back(First[Next]);
    }
    G.Entry = First[Body.Entry];
    std::vector<bool> Seen(G.Events.size());
    visit(G.Entry, Seen);
    std::reverse(G.Order.begin(), G.Order.end());
    return std::move(G);
  }

private:
  EventId join(StatementId S) {
    G.Events.push_back({});
    G.Events.back().Ref.Thread = G.Thread;
    G.Events.back().Ref.Statement = S;
    G.Events.back().LoopDepth = Body.Statements[S].LoopDepth;
    return G.Events.size() - 1;
  }

  void addWay(StatementId S, const SubEvents &Way) {
    EventId Previous = First[S];
    for (const SubEvent &E : Way) {
      G.Events.push_back(
          {{G.Thread, S, E.Kind, E.Location, E.Pair}, false, false, Body.Statements[S].LoopDepth, {}});
      G.Events[Previous].Successors.push_back(G.Events.size() - 1);
      Previous = G.Events.size() - 1;
    }
    G.Events[Previous].Posts = !G.Events[Previous].Joins && isRequest(Body.Statements[S].Op.Kind);
    G.Events[Previous].Successors.push_back(Last[S]);
  }

  /// Depth first without recursion: threads may have thousands of statements.
  void visit(EventId Root, std::vector<bool> &Seen) {
    std::vector<std::pair<EventId, unsigned>> Stack = {{Root, 0}};
    Seen[Root] = true;
    while (!Stack.empty()) {
      auto &[E, Next] = Stack.back();
      if (Next == G.Events[E].Successors.size()) {
        G.Order.push_back(E);
        Stack.pop_back();
        continue;
      }
      EventId To = G.Events[E].Successors[Next++];
      if (!Seen[To]) {
        Seen[To] = true;
        Stack.push_back({To, 0});
      }
    }
  }

  const Thread &Body;
  EventGraph G;
  std::vector<EventId> First, Last;
};

} // namespace

EventGraph eventGraph(const Program &P, ThreadIndex Thread) { return Builder(P, Thread).run(); }

std::vector<EventGraph> eventGraphs(const Program &P) {
  std::vector<EventGraph> All;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    All.push_back(eventGraph(P, T));
  return All;
}

std::vector<unsigned> requestsAsked(const Program &P, const EventGraph &G) {
  constexpr std::int64_t Most = 64;
  std::vector<unsigned> Asked(P.WorkIds.size());
  for (const Statement &S : P.Threads[G.Thread].Statements)
    if (S.Op.Kind == OperationKind::Wait && S.Op.Id != None)
      Asked[S.Op.Id] = std::max(Asked[S.Op.Id], static_cast<unsigned>(std::min(S.Op.Constant, Most) + 1));
  return Asked;
}

} // namespace rdma

#include "analyzer/report/Places.h"

#include <algorithm>

namespace rdma {
namespace {

const Statement &statement(const Program &P, const EventRef &E) {
  return P.Threads[E.Thread].Statements[E.Statement];
}

Place last(const std::vector<Place> &Chain) { return Chain.empty() ? Place{} : Chain.back(); }

/// Statements on ways from From onwards (or, with Back, on ways that lead to From).
std::vector<bool> reachable(const Thread &T, StatementId From, bool Back) {
  auto Predecessors = predecessors(T);
  std::vector<bool> Seen(T.Statements.size());
  std::vector<StatementId> Work = {From};
  while (!Work.empty()) {
    StatementId S = Work.back();
    Work.pop_back();
    for (StatementId Next : Back ? Predecessors[S] : T.Statements[S].Successors)
      if (!Seen[Next]) {
        Seen[Next] = true;
        Work.push_back(Next);
      }
  }
  return Seen;
}

bool polls(const Operation &Op, const Program &P, const EventRef &E) {
  return Op.Kind == OperationKind::Poll && E.Pair != None && Op.Queue == P.QueuePairs[E.Pair].Queue;
}

} // namespace

std::pair<Place, Place> placesOfPair(const Program &P, const EventRef &First, const EventRef &Second) {
  std::vector<Place> A = statement(P, First).Where.Chain, B = statement(P, Second).Where.Chain;
  // Outermost places stand last.
  while (A.size() > 1 && B.size() > 1 && A.back() == B.back()) {
    A.pop_back();
    B.pop_back();
  }
  return {last(A), last(B)};
}

Place outermostPlace(const Program &P, const EventRef &E) { return last(statement(P, E).Where.Chain); }

std::optional<Place> pollBetween(const Program &P, const EventRef &First, const EventRef &Second) {
  if (First.Thread != Second.Thread)
    return std::nullopt;
  const Thread &T = P.Threads[First.Thread];
  std::vector<bool> After = reachable(T, First.Statement, false),
                    Before = reachable(T, Second.Statement, true);
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (After[S] && Before[S] && polls(T.Statements[S].Op, P, First))
      return placesOfPair(P, First, {First.Thread, S, EventKind::P, {}, First.Pair}).second;
  return std::nullopt;
}

} // namespace rdma

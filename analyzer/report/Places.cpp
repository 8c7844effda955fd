#include "analyzer/report/Places.h"

#include <algorithm>

namespace rdma {
namespace {

const Statement &statement(const Program &P, const EventRef &E) {
  return P.Threads[E.Thread].Statements[E.Statement];
}

Place last(const std::vector<Place> &Chain) { return Chain.empty() ? Place{} : Chain.back(); }

/// Statements on ways from From onwards, nearest first (with Back, on ways that lead to From).
std::vector<StatementId> reachable(const Thread &T, StatementId From, bool Back) {
  auto Predecessors = predecessors(T);
  std::vector<bool> Seen(T.Statements.size());
  std::vector<StatementId> Found = {From};
  for (std::size_t I = 0; I < Found.size(); ++I)
    for (StatementId Next : Back ? Predecessors[Found[I]] : T.Statements[Found[I]].Successors)
      if (!Seen[Next]) {
        Seen[Next] = true;
        Found.push_back(Next);
      }
  Found.erase(Found.begin());
  return Found;
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
  std::vector<StatementId> Before = reachable(T, Second.Statement, true);
  for (StatementId S : reachable(T, First.Statement, false))
    if (polls(T.Statements[S].Op, P, First) && std::find(Before.begin(), Before.end(), S) != Before.end())
      return placesOfPair(P, First, {First.Thread, S, EventKind::P, {}, First.Pair}).second;
  return std::nullopt;
}

} // namespace rdma

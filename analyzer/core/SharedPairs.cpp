#include "analyzer/core/SharedPairs.h"

#include <algorithm>

namespace rdma {

using enum OperationKind;

namespace {

/// Where a thread posts to the queue pair, and where it takes completions of what it reads through it.
struct Uses {
  std::vector<StatementId> Requests, Takes;

  Uses(const Program &P, ThreadIndex T, unsigned Shared) {
    const std::vector<Statement> &All = P.Threads[T].Statements;
    auto isShared = [&](QueuePairId Q) { return Q != None && P.QueuePairs[Q].Shared == Shared; };
    std::vector<CompletionQueueId> Read;
    for (StatementId S = 0; S < All.size(); ++S)
      if (isRequest(All[S].Op.Kind) && isShared(All[S].Op.Pair)) {
        Requests.push_back(S);
        if (fetches(All[S].Op.Kind))
          Read.push_back(P.QueuePairs[All[S].Op.Pair].Queue);
      }
    for (StatementId S = 0; S < All.size() && !Read.empty(); ++S)
      if (const Operation &Op = All[S].Op;
          Op.Kind == Wait || (Op.Kind == Poll && std::ranges::any_of(Read, [&](CompletionQueueId Q) {
                                return Q == None || Q == Op.Queue;
                              })))
        Takes.push_back(S);
  }
};

} // namespace

Program postedInOrder(const Program &P, ThreadIndex Asking, unsigned Shared) {
  Program Alike = P;
  for (ThreadIndex I = 0; I < P.Threads.size(); ++I) {
    if (I == Asking)
      continue;
    const Uses In(P, I, Shared);
    for (StatementId S : In.Takes)
      Alike.Threads[I].Statements[S].Successors.clear();
    for (StatementId S : In.Requests)
      Alike.Threads[I].Statements[S].Op = {};
  }
  return Alike;
}

} // namespace rdma

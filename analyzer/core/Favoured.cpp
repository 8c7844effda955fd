#include "analyzer/core/Favoured.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rdma {

/// A new first statement, from which all these are next.
template <typename Ids> static void beginAt(Thread &T, const Ids &Begins) {
  T.Statements.push_back({});
  T.Statements.back().Successors.assign(Begins.begin(), Begins.end());
  T.Entry = T.Statements.size() - 1;
}

bool awaitsUnknown(const Program &P, const Statement &S) {
  const bool Reads = S.Op.Kind == OperationKind::Load || S.Op.Kind == OperationKind::Store;
  return Reads && S.Lost != None && !P.LostFacts[S.Lost].Looks;
}

Program waysEndingAt(const Program &P, ThreadIndex Thread, const std::vector<bool> &Ends) {
  Program Favoured = P;
  rdma::Thread &T = Favoured.Threads[Thread];
  std::set<StatementId> Begins{T.Entry};
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Ends[S]) {
      Begins.insert(T.Statements[S].Successors.begin(), T.Statements[S].Successors.end());
      T.Statements[S].Successors.clear();
    }
  beginAt(T, Begins);
  return Favoured;
}

/// As many polls as make a queue empty that is known to be short.
static constexpr unsigned ToEmpty = 4;

/// A queue that nothing reports to.
static CompletionQueueId unusedQueue(const Program &P) {
  CompletionQueueId Next = 0;
  auto use = [&](CompletionQueueId Queue) { Next = Queue == None ? Next : std::max(Next, Queue + 1); };
  for (const QueuePair &Q : P.QueuePairs)
    use(Q.Queue);
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      use(S.Op.Queue);
  return Next;
}

void completeAt(Program &Favoured, ThreadIndex Thread, QueuePairId Pair,
                const std::vector<LostFactId> &Facts) {
  Operation Poll;
  Poll.Kind = OperationKind::Poll;
  Poll.Queue = unusedQueue(Favoured);
  const CompletionQueueId Before = std::exchange(Favoured.QueuePairs[Pair].Queue, Poll.Queue);
  rdma::Thread &T = Favoured.Threads[Thread];
  std::vector<unsigned> Polls(Facts.size());
  for (StatementId S = 0; S < Facts.size(); ++S) {
    const Statement &Here = T.Statements[S];
    const bool SameBehind =
        Here.Successors.size() == 1 && Here.Successors[0] < Facts.size() && Facts[Here.Successors[0]] != None;
    if (Facts[S] != None && !SameBehind)
      Polls[S] = ToEmpty;
    else if (Here.Op.Kind == OperationKind::Poll && Here.Op.Queue == Before && Before != None)
      Polls[S] = Here.Op.Count;
  }
  for (StatementId S = 0; S < Facts.size(); ++S)
    for (unsigned I = 0; I < Polls[S]; ++I)
      T.insertBehind(S, Poll, Site(T.Statements[S].Where));
}

ObjectId unsetWord(const Program &P) {
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Kind == OperationKind::Assume && !S.Op.Local.whole() && !P.Objects[S.Op.Local.Target].Zeros)
        return S.Op.Local.Target;
  return None;
}

Program zeroAtFirst(const Program &P) {
  Program Favoured = P;
  for (Object &O : Favoured.Objects)
    O.Zeros = true;
  return Favoured;
}

Program waitedFor(const Program &P, ThreadIndex Examined) {
  Program Favoured = P;
  for (ThreadIndex Index = 0; Index < P.Threads.size(); ++Index) {
    if (Index == Examined)
      continue;
    Thread &T = Favoured.Threads[Index];
    std::set<StatementId> Awaits;
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      if (awaitsUnknown(P, T.Statements[S]))
        Awaits.insert(S);
    for (Statement &S : T.Statements)
      std::erase_if(S.Successors, [&](StatementId Next) { return Awaits.count(Next); });
    Awaits.insert(T.Entry);
    beginAt(T, Awaits);
  }
  return Favoured;
}

std::optional<MaybeLock> writesMaybeLock(const Program &P) {
  std::set<NodeId> WithLocks;
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Kind == OperationKind::LocalCas && !P.Objects[S.Op.Local.Target].Anything)
        WithLocks.insert(P.Objects[S.Op.Local.Target].Home);
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S) {
      const Operation &Op = P.Threads[T].Statements[S].Op;
      if (Op.Kind == OperationKind::Store && P.Objects[Op.Local.Target].Anything &&
          WithLocks.count(P.Objects[Op.Local.Target].Home))
        return MaybeLock{T, S};
    }
  return std::nullopt;
}

Program withLocksApart(const Program &P) {
  Program Favoured = P;
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Kind == OperationKind::LocalCas && !P.Objects[S.Op.Local.Target].Anything)
        Favoured.Objects[S.Op.Local.Target].Unaliased = true;
  return Favoured;
}

} // namespace rdma

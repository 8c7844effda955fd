#include "analyzer/core/Takers.h"

#include "analyzer/core/Flow.h"
#include "analyzer/core/Streams.h"
#include "ir/SubEvents.h"

#include <algorithm>

namespace rdma {

using enum OperationKind;

namespace {

/// A load that comes from text is a store of what it reads.
bool reads(const Program &P, const Operation &Op, const Access &Written) {
  for (const SubEvents &Way : expand(Op))
    for (const SubEvent &E : Way)
      if ((E.Kind == EventKind::lR || E.Kind == EventKind::CAS) && mayOverlap(P, Written, E.Location))
        return true;
  return false;
}

/// Does every way take completions?
struct Taken {
  bool Always;
  bool operator==(const Taken &) const = default;
  Taken meet(Taken Other) const { return {Always && Other.Always}; }
};

} // namespace

bool Takers::takesFor(ThreadIndex Taker, ThreadIndex Poster) const {
  const auto &All = P.Threads[Taker].Statements;
  return Taker != Poster && P.Threads[Taker].Home == P.Threads[Poster].Home &&
         std::any_of(All.begin(), All.end(), [&](const Statement &S) { return takes(S); }) &&
         std::any_of(P.QueuePairs.begin(), P.QueuePairs.end(), [&](const QueuePair &Q) {
           return Q.Owner == Poster && !pollsOwn(&Q - P.QueuePairs.data());
         });
}

const std::vector<bool> &Takers::behindCompletions(ThreadIndex N) {
  auto [Found, New] = Behind.try_emplace(N);
  if (!New)
    return Found->second;
  const Thread &T = P.Threads[N];
  auto Through = [&](Taken Before, StatementId S) { return Taken{Before.Always || takes(T.Statements[S])}; };
  for (const std::optional<Taken> &Before : forwardFacts(T, Taken{false}, Through))
    Found->second.push_back(!Before || Before->Always);
  return Found->second;
}

bool Takers::pollsOwn(QueuePairId Pair) const {
  auto [Known, New] = PollsOwn.try_emplace(Pair, false);
  const QueuePair &Q = P.QueuePairs[Pair];
  if (!New || Q.Queue == None)
    return Known->second;
  const Thread &T = P.Threads[Q.Owner];
  std::vector<StatementId> Polls;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (takesFrom(T.Statements[S], Q.Queue))
      Polls.push_back(S);
  Known->second = !Polls.empty();
  const std::vector<bool> InFront = inFrontOf(T, std::move(Polls));
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    Known->second &= !isRequest(T.Statements[S].Op.Kind) || T.Statements[S].Op.Pair != Pair || InFront[S];
  return Known->second;
}

bool Takers::takesFrom(const Statement &S, CompletionQueueId Queue) const {
  return (S.Op.Kind == Poll && S.Op.Queue == Queue) ||
         (S.Op.Kind == Nop && S.Lost != None && !P.LostFacts[S.Lost].Beside &&
          P.LostFacts[S.Lost].Queue == Queue);
}

bool Takers::takes(const Statement &S) const {
  if (S.Op.Kind != Nop || S.Lost == None)
    return S.Op.Kind == Poll;
  const LostFact &Fact = P.LostFacts[S.Lost];
  return !Fact.Everything && !Fact.Beside && !Fact.Joins && !Fact.Throws;
}

ThreadIndex Takers::pollerBeside(ThreadIndex Poster, QueuePairId Pair) const {
  if (Pair == None || pollsOwn(Pair))
    return None;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
    const Thread &Other = P.Threads[T];
    bool Polls = std::any_of(Other.Statements.begin(), Other.Statements.end(),
                             [&](const Statement &S) { return takes(S); });
    if (T != Poster && Other.Home == P.Threads[Poster].Home && Polls)
      return T;
  }
  return None;
}

bool Takers::pushes(QueuePairId Pair) const {
  const auto &All = P.Threads[P.QueuePairs[Pair].Owner].Statements;
  return std::any_of(All.begin(), All.end(),
                     [&](const Statement &S) { return S.Op.Pair == Pair && fetches(S.Op.Kind); });
}

LostFactId Takers::reportsAnywhere(ThreadIndex T) const {
  for (const QueuePair &Q : P.QueuePairs)
    if (Q.Owner == T && Q.Queue == None && Q.NoQueue != None)
      return Q.NoQueue;
  return None;
}

bool Takers::hears(const Operation &Op, ThreadIndex From) const {
  const auto &All = P.Threads[From].Statements;
  const bool Receives = Op.Kind == Get && isMessage(P, Op.Remote.Target);
  return std::any_of(All.begin(), All.end(), [&](const Statement &S) {
    return (isCpuWrite(S.Op.Kind) && reads(P, Op, S.Op.Local)) ||
           (Receives && S.Op.Kind == Put && mayOverlap(P, S.Op.Remote, Op.Remote));
  });
}

} // namespace rdma

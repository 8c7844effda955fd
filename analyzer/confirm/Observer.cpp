#include "analyzer/confirm/Observer.h"

#include "ir/ThreadBuilder.h"

#include <algorithm>

namespace rdma {

using enum OperationKind;

namespace {

/// A queue pair of the thread to come, with a completion queue of its own.
QueuePairId queuePairTo(Program &P, NodeId Target) {
  CompletionQueueId Queue = 0;
  for (const QueuePair &Q : P.QueuePairs)
    Queue = std::max(Queue, Q.Queue == None ? 0 : Q.Queue + 1);
  P.QueuePairs.push_back({ThreadIndex(P.Threads.size()), Target, {}, Queue});
  return P.QueuePairs.size() - 1;
}

Access unshared(Program &P, NodeId Home, std::int64_t Initial) {
  P.Objects.push_back({.Name = "unused", .Home = Home, .Initial = Initial, .Fresh = true});
  return {ObjectId(P.Objects.size() - 1)};
}

} // namespace

void addObserver(Slice &S, std::int64_t Value) {
  S.AddedObserver = true;
  Program &P = S.Code;
  NodeId Home = P.Nodes.size();
  P.Nodes.push_back({"another node"});
  Thread Someone{.Name = "someone", .Home = Home};
  ThreadBuilder Build(Someone);
  for (const explorer::EventKey &E : {S.Pair.Second, S.Pair.First}) {
    Access Seen{E.Location};
    QueuePairId Pair = queuePairTo(P, P.Objects[E.Location].Home);
    if (!E.Write) // what is read is changed; that has arrived when the READ behind it is polled
      Build.add(
          {.Kind = Put, .Local = unshared(P, Home, Value), .Remote = Seen, .Pair = Pair, .Unsignaled = true},
          {});
    Build.add({.Kind = Get, .Local = unshared(P, Home, 0), .Remote = Seen, .Pair = Pair}, {});
    Build.add({.Kind = Poll, .Queue = P.QueuePairs[Pair].Queue}, {});
  }
  P.Threads.push_back(std::move(Someone));
}

} // namespace rdma

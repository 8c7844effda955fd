#include "analyzer/core/Analysis.h"

#include "analyzer/core/Network.h"

#include <algorithm>
#include <set>
#include <string>

namespace rdma {

Analysis::Analysis(const Program &P, Model M, const Analysis *Like)
    : Code(P), M(M), Threads(eventGraphs(P)), Numbers(std::make_shared<EventNumbers>(Threads)),
      Where(P, Threads), Component(Threads.size()), Group(Threads.size()), Open(Threads.size()),
      Races(Threads.size()) {
  markPublic();
  if (!P.Closed && !P.OpenWorld)
    markOwn();
  std::vector<Link> Links = links(*this, true);
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    // A thread that stands for many is never the one under examination: it repeats one that is.
    if (P.Threads[T].Many)
      continue;
    Component[T] = components(*this, Links, T);
    group(T);
    if (!Like || !takesPairs(T, *Like))
      findPairs(T);
  }
}

void Analysis::markPublic() {
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    Public.emplace_back(Threads[T].Events.size());
    for (EventId E : Threads[T].Order)
      if (LocationId L = Where.of(T, E); L != None && !isUnseen(Threads[T].operation(Code, E))) {
        // What this thread reaches over a queue pair, others can reach as well.
        bool ToAll = Code.OpenWorld &&
                     (Code.Objects[ref(T, E).Location.Target].RemoteAccess || isRemote(ref(T, E).Kind));
        Public[T][E] = ToAll || Where.sharedWithOthers(T, L);
      }
  }
}

void Analysis::markOwn() {
  // By location: the node's threads reach it over a queue pair of this name; two names: over several.
  std::vector<std::set<std::pair<NodeId, std::string>>> Over(Where.size());
  for (ThreadIndex T = 0; T < Threads.size(); ++T)
    for (EventId E : Threads[T].Order)
      if (LocationId L = Where.of(T, E); L != None && !isUnseen(Threads[T].operation(Code, E))) {
        const EventRef &Ref = ref(T, E);
        std::string Name = isRemote(Ref.Kind) ? Code.QueuePairs[Ref.Pair].Name : "";
        Over[L].insert({Code.Threads[T].Home, Name});
      }
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    Own.emplace_back(Threads[T].Events.size());
    for (EventId E : Threads[T].Order) {
      const EventRef &Ref = ref(T, E);
      LocationId L = Where.of(T, E);
      if (L == None || Ref.Kind != EventKind::nrW)
        continue;
      const std::pair<NodeId, std::string> Mine{Code.Threads[T].Home, Code.QueuePairs[Ref.Pair].Name};
      const std::vector<LocationId> &Around = Where.overlapping(L);
      Own[T][E] = std::all_of(Around.begin(), Around.end(), [&](LocationId Other) {
        return std::all_of(Over[Other].begin(), Over[Other].end(),
                           [&](const auto &One) { return One == Mine; });
      });
    }
  }
}

void Analysis::group(ThreadIndex T) {
  Group[T].assign(Threads[T].Events.size(), None);
  for (EventId E : Threads[T].Order)
    if (Public[T][E])
      Group[T][E] = Code.OpenWorld ? 0 : Component[T][nodeOf(T, E)];
}

/// Do the requests of a thread complete in the same queues, and no others there?
static bool hasSameQueues(ThreadIndex T, const Program &A, const Program &B) {
  std::set<CompletionQueueId> Changed;
  for (QueuePairId Q = 0; Q < A.QueuePairs.size(); ++Q)
    if (A.QueuePairs[Q].Queue != B.QueuePairs[Q].Queue)
      Changed.insert({A.QueuePairs[Q].Queue, B.QueuePairs[Q].Queue});
  auto isChanged = [&](const QueuePair &Q) { return Q.Owner == T && Changed.count(Q.Queue); };
  return std::ranges::none_of(A.QueuePairs, isChanged) && std::ranges::none_of(B.QueuePairs, isChanged);
}

/// The same statements in the same groups leave the same open.
bool Analysis::takesPairs(ThreadIndex T, const Analysis &Like) {
  const Thread &Here = Code.Threads[T], &There = Like.Code.Threads[T];
  if (Here.Entry != There.Entry || Here.Statements != There.Statements || Group[T] != Like.Group[T] ||
      !hasSameQueues(T, Code, Like.Code))
    return false;
  Open[T] = Like.Open[T];
  Races[T] = Like.Races[T];
  return true;
}

void Analysis::findPairs(ThreadIndex T) {
  const EventGraph &G = Threads[T];
  const Asked Here{
      .Conflicts = M == Model::RdmaSc, .Groups = Group[T], .ReadThenRemote = true, .HowMany = true};
  OpenPairs Found = openPairs(Code, G, Where, M, Here);
  Ordered += Found.Reached - Found.Count;
  Open[T] = std::move(Found.Pairs);
  const std::vector<OpenPair> Sc =
      M == Model::RdmaSc ? Open[T] : openPairs(Code, G, Where, Model::RdmaSc, {}).Pairs;
  for (const OpenPair &Pair : Sc)
    if (conflict(Code, ref(T, Pair.Earlier), ref(T, Pair.Later)))
      Races[T].push_back(Pair);
}

bool Analysis::connected(ThreadIndex T, const OpenPair &Pair) const {
  const unsigned Of = Group[T][Pair.Earlier];
  return Of != None && Of == Group[T][Pair.Later] && (Own.empty() || !Own[T][Pair.Earlier]);
}

} // namespace rdma

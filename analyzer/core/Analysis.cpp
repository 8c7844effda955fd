#include "analyzer/core/Analysis.h"

#include "analyzer/core/Network.h"

namespace rdma {

Analysis::Analysis(const Program &P, Model M)
    : Code(P), M(M), Threads(eventGraphs(P)), Numbers(std::make_shared<EventNumbers>(Threads)),
      Where(P, Threads), Component(Threads.size()), Open(Threads.size()), Races(Threads.size()) {
  markPublic();
  std::vector<Link> Links = links(*this, true);
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    // A thread that stands for many is never the one under examination: it repeats one that is.
    if (P.Threads[T].Many)
      continue;
    Component[T] = components(*this, Links, T);
    findPairs(T);
  }
}

void Analysis::markPublic() {
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    Public.emplace_back(Threads[T].Events.size());
    for (EventId E : Threads[T].Order)
      if (LocationId L = Where.of(T, E); L != None) {
        // What this thread reaches over a queue pair, others can reach as well.
        bool ToAll = Code.OpenWorld &&
                     (Code.Objects[ref(T, E).Location.Target].RemoteAccess || isRemote(ref(T, E).Kind));
        Public[T][E] = ToAll || Where.sharedWithOthers(T, L);
      }
  }
}

void Analysis::findPairs(ThreadIndex T) {
  const EventGraph &G = Threads[T];
  Asked Here{.Conflicts = M == Model::RdmaSc, .Groups = {}, .ReadThenRemote = true, .HowMany = true};
  Here.Groups.assign(G.Events.size(), None);
  for (EventId E : G.Order)
    if (Public[T][E])
      Here.Groups[E] = Code.OpenWorld ? 0 : Component[T][nodeOf(T, E)];
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
  return Public[T][Pair.Earlier] && Public[T][Pair.Later] &&
         (Code.OpenWorld || Component[T][nodeOf(T, Pair.Earlier)] == Component[T][nodeOf(T, Pair.Later)]);
}

} // namespace rdma

#include "analyzer/core/Analysis.h"

namespace rdma {

static std::vector<EventGraph> graphs(const Program &P) {
  std::vector<EventGraph> All;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    All.push_back(eventGraph(P, T));
  return All;
}

Analysis::Analysis(const Program &P, Model M) : Code(P), M(M), Threads(graphs(P)), Where(P, Threads) {
  for (const EventGraph &G : Threads) {
    Position.emplace_back(G.Events.size());
    for (unsigned At = 0; At < G.Order.size(); ++At)
      Position.back()[G.Order[At]] = At;
  }
  markPublic();
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
    // A thread that stands for many is never the one under examination: it repeats one that is.
    bool Examined = !P.Threads[T].Many;
    Open.push_back(Examined ? openPairs(T, M, &Ordered) : std::vector<OpenPair>());
    OpenSc.push_back(!Examined            ? std::vector<OpenPair>()
                     : M == Model::RdmaSc ? Open.back()
                                          : openPairs(T, Model::RdmaSc, nullptr));
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

std::vector<OpenPair> Analysis::openPairs(ThreadIndex T, Model Under, unsigned *Count) const {
  const EventGraph &G = Threads[T];
  GuaranteedBefore Gb(Code, G, Under);
  std::vector<OpenPair> Pairs;
  for (EventId Earlier : G.Order) {
    if (G.Events[Earlier].Joins || !ref(T, Earlier).Location.valid())
      continue;
    GuaranteedBefore::After After = Gb.after(Earlier);
    for (EventId Later : G.Order) {
      if (!After.Reached[Later] || G.Events[Later].Joins || !ref(T, Later).Location.valid())
        continue;
      if (!After.Ordered[Later])
        Pairs.push_back({Earlier, Later});
      else if (Count)
        ++*Count;
    }
  }
  return Pairs;
}

Violation Analysis::violation(Rule Broken, ThreadIndex T, const OpenPair &Pair) const {
  bool Back = Position[T][Pair.Later] <= Position[T][Pair.Earlier];
  return {Broken, ref(T, Pair.Earlier), ref(T, Pair.Later), {}, Back};
}

} // namespace rdma

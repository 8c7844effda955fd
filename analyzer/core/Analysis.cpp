#include "analyzer/core/Analysis.h"

#include <algorithm>

namespace rdma {

Analysis::Analysis(const Program &P, Model M) : Code(P), M(M) {
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    Threads.push_back(eventGraph(P, T));
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
  std::vector<std::vector<EventRef>> Accesses(Threads.size());
  for (ThreadIndex T = 0; T < Threads.size(); ++T)
    for (EventId E : Threads[T].Order)
      if (!Threads[T].Events[E].Joins && ref(T, E).Location.valid())
        Accesses[T].push_back(ref(T, E));
  auto Touched = [&](const EventRef &E, ThreadIndex By) {
    return std::any_of(Accesses[By].begin(), Accesses[By].end(),
                       [&](const EventRef &Other) { return mayOverlap(Code, E.Location, Other.Location); });
  };
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    Public.emplace_back(Threads[T].Events.size());
    for (EventId E : Threads[T].Order) {
      if (Threads[T].Events[E].Joins || !ref(T, E).Location.valid())
        continue;
      // What this thread reaches over a queue pair, others can reach as well.
      bool Shared = Code.OpenWorld &&
                    (Code.Objects[ref(T, E).Location.Target].RemoteAccess || isRemote(ref(T, E).Kind));
      for (ThreadIndex By = 0; By < Threads.size() && !Shared; ++By)
        Shared = (By != T || Code.Threads[T].Many) && Touched(ref(T, E), By);
      Public[T][E] = Shared;
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
  const std::vector<EventId> &Order = Threads[T].Order;
  auto Earlier = std::find(Order.begin(), Order.end(), Pair.Earlier);
  bool Back = std::find(Order.begin(), std::next(Earlier), Pair.Later) != std::next(Earlier);
  return {Broken, ref(T, Pair.Earlier), ref(T, Pair.Later), {}, Back};
}

} // namespace rdma

#include "analyzer/core/Conditions.h"
#include "analyzer/core/Handshakes.h"

#include <algorithm>
#include <map>
#include <queue>

namespace rdma {
namespace {

/// An event of any thread.
struct Vertex {
  ThreadIndex Thread;
  EventId Id;
  auto operator<=>(const Vertex &) const = default;
};

/// All public accesses, and which of them conflict across threads, in which direction.
class Conflicts {
public:
  explicit Conflicts(const Analysis &A) : A(A), Waits(A.Code, A.Threads, A.M) {
    for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
      for (EventId E : A.Threads[T].Order)
        if (A.Public[T][E])
          Accesses.push_back({T, E});
  }

  /// Public accesses of other threads that conflict with V, and may come after it. Copies of a thread that
  /// stands for many conflict too.
  const std::vector<Vertex> &after(Vertex V) const {
    return conflicting(Later, V,
                       [&](Vertex Other) { return !Waits.over(V.Thread, V.Id, Other.Thread, Other.Id); });
  }
  /// Those that may come before it.
  const std::vector<Vertex> &before(Vertex V) const {
    return conflicting(Sooner, V,
                       [&](Vertex Other) { return !Waits.over(Other.Thread, Other.Id, V.Thread, V.Id); });
  }

  const EventRef &ref(Vertex V) const { return A.ref(V.Thread, V.Id); }

private:
  using Known = std::map<Vertex, std::vector<Vertex>>;

  template <typename MayFn> const std::vector<Vertex> &conflicting(Known &Cache, Vertex V, MayFn May) const {
    auto [Found, New] = Cache.try_emplace(V);
    if (New)
      for (Vertex Other : Accesses)
        if ((Other.Thread != V.Thread || A.Code.Threads[V.Thread].Many) && A.conflict(ref(V), ref(Other)) &&
            May(Other))
          Found->second.push_back(Other);
    return Found->second;
  }

  const Analysis &A;
  Handshakes Waits;
  std::vector<Vertex> Accesses;
  mutable Known Later, Sooner;
};

/// Everything that one later event reaches through other threads, with a shortest way to each.
class Reach {
public:
  Reach(const Analysis &A, const Conflicts &C, Vertex From) : C(C), Examined(From.Thread) {
    for (Vertex First : C.after(From))
      visit(First, {None, None});
    while (!Work.empty()) {
      Vertex V = Work.front();
      Work.pop();
      for (EventId Next : A.Threads[V.Thread].Events[V.Id].Successors)
        visit({V.Thread, Next}, V);
      if (A.Public[V.Thread][V.Id])
        for (Vertex Other : C.after(V))
          visit(Other, V);
    }
  }

  /// The accesses on the way to one that conflicts with To, or nothing when there is no way.
  std::vector<EventRef> wayTo(Vertex To) const {
    std::vector<Vertex> Ends = C.before(To);
    // No write, and no remote atomic, comes between the two halves of a remote atomic (the atomics condition,
    // and the lock of the node): what goes before the second half goes before the first. Only plain reads
    // tell them apart.
    if (C.ref(To).Kind == EventKind::narW)
      std::erase_if(
          Ends, [&](Vertex End) { return writes(C.ref(End).Kind) || C.ref(End).Kind == EventKind::narR; });
    auto Nearer = [&](Vertex X, Vertex Y) { return distance(X) < distance(Y); };
    auto End = std::min_element(Ends.begin(), Ends.end(), Nearer);
    if (End == Ends.end() || !Parent.contains(*End))
      return {};
    std::vector<Vertex> Way;
    for (Vertex V = *End; V.Thread != None; V = Parent.at(V).first)
      Way.push_back(V);
    std::reverse(Way.begin(), Way.end());
    return turningPoints(Way);
  }

private:
  void visit(Vertex V, Vertex From) {
    if (V.Thread == Examined)
      return;
    unsigned Distance = From.Thread == None ? 0 : Parent.at(From).second + 1;
    if (Parent.try_emplace(V, From, Distance).second)
      Work.push(V);
  }

  unsigned distance(Vertex V) const {
    auto Found = Parent.find(V);
    return Found == Parent.end() ? None : Found->second.second;
  }

  /// Where the way enters and leaves each thread; the steps along program order between them say nothing.
  std::vector<EventRef> turningPoints(const std::vector<Vertex> &Way) const {
    std::vector<EventRef> Points;
    for (std::size_t I = 0; I < Way.size(); ++I) {
      bool Enters = I == 0 || Way[I - 1].Thread != Way[I].Thread;
      bool Leaves = I + 1 == Way.size() || Way[I + 1].Thread != Way[I].Thread;
      if (Enters || Leaves)
        Points.push_back(C.ref(Way[I]));
    }
    return Points;
  }

  const Conflicts &C;
  ThreadIndex Examined;
  std::map<Vertex, std::pair<Vertex, unsigned>> Parent;
  std::queue<Vertex> Work;
};

} // namespace

std::vector<Violation> openCycles(const Analysis &A) {
  std::vector<Violation> Cycles;
  Conflicts C(A);
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    std::map<EventId, Reach> FromLater;
    for (const OpenPair &Pair : A.Open[T]) {
      if (!A.Public[T][Pair.Earlier] || !A.Public[T][Pair.Later])
        continue;
      auto Found = FromLater.try_emplace(Pair.Later, A, C, Vertex{T, Pair.Later}).first;
      std::vector<EventRef> Way = Found->second.wayTo({T, Pair.Earlier});
      if (Way.empty() && !A.Code.OpenWorld)
        continue;
      Cycles.push_back(A.violation(Rule::CriticalCycle, T, Pair));
      Cycles.back().Observers = std::move(Way);
    }
  }
  return Cycles;
}

} // namespace rdma

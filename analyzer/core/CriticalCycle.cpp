#include "analyzer/core/Conditions.h"
#include "analyzer/core/Handshakes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace rdma {
namespace {

/// An event of any thread.
struct Vertex {
  ThreadIndex Thread;
  EventId Id;
  auto operator<=>(const Vertex &) const = default;
};

/// Public accesses that conflict with the same others and come before or after the same ones of them.
using AccessClass = unsigned;

/// All public accesses, and which of them conflict across threads, in which direction.
class Conflicts {
public:
  explicit Conflicts(const Analysis &A) : A(A), Waits(A.Code, A.Threads, A.M), At(A.Where.size()) {
    std::map<std::tuple<ThreadIndex, bool, LocationId, std::vector<bool>>, AccessClass> Known;
    for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
      ClassOf.emplace_back(A.Threads[T].Events.size(), None);
      for (EventId E : A.Threads[T].Order) {
        if (!A.Public[T][E])
          continue;
        LocationId L = A.Where.of(T, E);
        auto [Found, New] =
            Known.try_emplace({T, writes(A.ref(T, E).Kind), L, Waits.placeOf(T, E)}, Members.size());
        if (New)
          Members.emplace_back();
        ClassOf[T][E] = Found->second;
        Members[Found->second].push_back({T, E});
        At[L].push_back({Number.size(), {T, E}});
        Number.push_back({T, E});
      }
    }
    Later.resize(Members.size());
    Sooner.resize(Members.size());
  }

  AccessClass classOf(Vertex V) const { return ClassOf[V.Thread][V.Id]; }
  std::size_t classes() const { return Members.size(); }

  /// Public accesses of other threads that conflict with those of a class, and may come after them. Copies of
  /// a thread that stands for many conflict too.
  const std::vector<Vertex> &after(AccessClass C) const {
    Vertex V = Members[C].front();
    return conflicting(Later[C], V,
                       [&](Vertex Other) { return !Waits.over(V.Thread, V.Id, Other.Thread, Other.Id); });
  }
  /// Those that may come before them.
  const std::vector<Vertex> &before(AccessClass C) const {
    Vertex V = Members[C].front();
    return conflicting(Sooner[C], V,
                       [&](Vertex Other) { return !Waits.over(Other.Thread, Other.Id, V.Thread, V.Id); });
  }

  const EventRef &ref(Vertex V) const { return A.ref(V.Thread, V.Id); }

private:
  using Known = std::optional<std::vector<Vertex>>;

  template <typename MayFn> const std::vector<Vertex> &conflicting(Known &Cache, Vertex V, MayFn May) const {
    if (Cache)
      return *Cache;
    std::vector<std::size_t> Found; // in the order of the program
    for (LocationId L : A.Where.overlapping(A.Where.of(V.Thread, V.Id)))
      for (const auto &[Place, Other] : At[L])
        if ((Other.Thread != V.Thread || A.Code.Threads[V.Thread].Many) &&
            (writes(ref(V).Kind) || writes(ref(Other).Kind)) && May(Other))
          Found.push_back(Place);
    std::sort(Found.begin(), Found.end());
    Cache.emplace();
    for (std::size_t Place : Found)
      Cache->push_back(Number[Place]);
    return *Cache;
  }

  const Analysis &A;
  Handshakes Waits;
  std::vector<std::vector<AccessClass>> ClassOf; ///< per thread and event
  std::vector<std::vector<Vertex>> Members;
  std::vector<Vertex> Number;                                  ///< public accesses
  std::vector<std::vector<std::pair<std::size_t, Vertex>>> At; ///< by location, with their number
  mutable std::vector<Known> Later, Sooner;
};

/// Everything that the later events of one class reach through other threads, with a shortest way to each.
class Reach {
public:
  Reach(const Analysis &A, const Conflicts &C, Vertex From)
      : C(C), Examined(From.Thread), Expanded(C.classes()) {
    for (Vertex First : C.after(C.classOf(From)))
      visit(First, {None, None});
    while (!Work.empty()) {
      Vertex V = Work.front();
      Work.pop();
      for (EventId Next : A.Threads[V.Thread].Events[V.Id].Successors)
        visit({V.Thread, Next}, V);
      if (!A.Public[V.Thread][V.Id] || Expanded[C.classOf(V)])
        continue;
      Expanded[C.classOf(V)] = true;
      for (Vertex Other : C.after(C.classOf(V)))
        visit(Other, V);
    }
  }

  /// The accesses on the way to one that conflicts with To, or nothing when there is no way.
  std::vector<EventRef> wayTo(Vertex To) const {
    // No write, and no remote atomic, comes between the two halves of a remote atomic (the atomics condition,
    // and the lock of the node): what goes before the second half goes before the first. Only plain reads
    // tell them apart.
    bool Half = C.ref(To).Kind == EventKind::narW;
    Vertex End{None, None};
    unsigned Least = None;
    for (Vertex Other : C.before(C.classOf(To))) {
      EventKind Kind = C.ref(Other).Kind;
      if (Half && (writes(Kind) || Kind == EventKind::narR))
        continue;
      if (unsigned Far = distance(Other); Far < Least) {
        Least = Far;
        End = Other;
      }
    }
    if (Least == None)
      return {};
    std::vector<Vertex> Way;
    for (Vertex V = End; V.Thread != None; V = Parent.at(key(V)).first)
      Way.push_back(V);
    std::reverse(Way.begin(), Way.end());
    return turningPoints(Way);
  }

private:
  static std::uint64_t key(Vertex V) { return std::uint64_t(V.Thread) << 32 | V.Id; }

  void visit(Vertex V, Vertex From) {
    if (V.Thread == Examined)
      return;
    unsigned Distance = From.Thread == None ? 0 : Parent.at(key(From)).second + 1;
    if (Parent.try_emplace(key(V), From, Distance).second)
      Work.push(V);
  }

  unsigned distance(Vertex V) const {
    auto Found = Parent.find(key(V));
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
  std::vector<bool> Expanded; ///< by class: what conflicts with it has been visited
  std::unordered_map<std::uint64_t, std::pair<Vertex, unsigned>> Parent;
  std::queue<Vertex> Work;
};

} // namespace

std::vector<Violation> openCycles(const Analysis &A) {
  std::vector<Violation> Cycles;
  Conflicts C(A);
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    // Pairs whose later events reach the same, one after the other.
    std::map<AccessClass, std::vector<std::size_t>> ByLater;
    for (std::size_t I = 0; I < A.Open[T].size(); ++I)
      if (A.Public[T][A.Open[T][I].Earlier] && A.Public[T][A.Open[T][I].Later])
        ByLater[C.classOf({T, A.Open[T][I].Later})].push_back(I);
    std::map<std::size_t, std::vector<EventRef>> Ways;
    for (const auto &[Class, Pairs] : ByLater) {
      Reach FromLater(A, C, {T, A.Open[T][Pairs.front()].Later});
      std::map<std::pair<AccessClass, bool>, std::vector<EventRef>> Known;
      for (std::size_t I : Pairs) {
        Vertex To{T, A.Open[T][I].Earlier};
        auto [Way, New] = Known.try_emplace({C.classOf(To), C.ref(To).Kind == EventKind::narW});
        if (New)
          Way->second = FromLater.wayTo(To);
        if (!Way->second.empty() || A.Code.OpenWorld)
          Ways[I] = Way->second;
      }
    }
    for (auto &[I, Way] : Ways) {
      Cycles.push_back(A.violation(Rule::CriticalCycle, T, A.Open[T][I]));
      Cycles.back().Observers = std::move(Way);
    }
  }
  return Cycles;
}

} // namespace rdma

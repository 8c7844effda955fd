#include "analyzer/core/Conditions.h"
#include "analyzer/core/Handshakes.h"
#include "analyzer/core/Sections.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace rdma {
namespace {

/// An event of any thread.
struct Vertex {
  ThreadIndex Thread;
  EventId Id;
  auto operator<=>(const Vertex &) const = default;
};

/// Public accesses that conflict with the same others, come before or after the same ones of them, and lie in
/// sections of the same locks.
using AccessClass = unsigned;

/// All public accesses, and which of them conflict across threads, in which direction.
class Conflicts {
public:
  explicit Conflicts(const Analysis &A) : A(A), Waits(A), In(A), At(A.Where.size()) {
    std::map<std::tuple<ThreadIndex, bool, LocationId, std::vector<bool>, Sections::Locks>, AccessClass>
        Known;
    for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
      ClassOf.emplace_back(A.Threads[T].Events.size(), None);
      for (EventId E : A.Threads[T].Order) {
        if (!A.Public[T][E])
          continue;
        LocationId L = A.Where.of(T, E);
        auto [Found, New] = Known.try_emplace(
            {T, writes(A.ref(T, E).Kind), L, Waits.placeOf(T, E), In.within(T, E)}, Members.size());
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
  /// Without those that lie in sections of one of these locks.
  std::vector<Vertex> after(AccessClass C, Sections::Locks Without) const {
    std::vector<Vertex> Some = after(C);
    std::erase_if(Some, [&](Vertex V) { return within(V) & Without; });
    return Some;
  }
  /// Those that may come before them.
  const std::vector<Vertex> &before(AccessClass C) const {
    Vertex V = Members[C].front();
    return conflicting(Sooner[C], V,
                       [&](Vertex Other) { return !Waits.over(Other.Thread, Other.Id, V.Thread, V.Id); });
  }

  /// Locks of sections that come behind the one that the later access of an open pair lies in, and before
  /// which the earlier one is over.
  Sections::Locks followed(Vertex Earlier, Vertex Later) const {
    return In.closed(Earlier.Thread, Earlier.Id) & In.held(Later.Thread, Later.Id);
  }
  /// The locks of the sections that the access lies in as a whole.
  Sections::Locks within(Vertex V) const { return In.within(V.Thread, V.Id); }

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
  Sections In;
  std::vector<std::vector<AccessClass>> ClassOf; ///< per thread and event
  std::vector<std::vector<Vertex>> Members;
  std::vector<Vertex> Number;                                  ///< public accesses
  std::vector<std::vector<std::pair<std::size_t, Vertex>>> At; ///< by location, with their number
  mutable std::vector<Known> Later, Sooner;
};

/// Everything that the later events of some classes reach through other threads, with a shortest way to each.
class Reach {
public:
  Reach(const Analysis &A, const Conflicts &C) : A(A), C(C), Reached(C.classes()) {
    for (const EventGraph &G : A.Threads)
      Steps.emplace_back(G.Events.size());
  }

  /// Anew, from what conflicts with a later event; its thread is the one under examination.
  void from(ThreadIndex Thread, const std::vector<Vertex> &After) {
    Examined = Thread;
    ++Round;
    for (Vertex First : After)
      visit(First, {None, None}, 0);
    for (std::size_t Next = 0; Next < Work.size(); ++Next) {
      Vertex V = Work[Next];
      unsigned Distance = Steps[V.Thread][V.Id].Distance + 1;
      for (EventId Behind : A.Threads[V.Thread].Events[V.Id].Successors)
        visit({V.Thread, Behind}, V, Distance);
      if (!A.Public[V.Thread][V.Id] || Reached[C.classOf(V)] == Round)
        continue;
      Reached[C.classOf(V)] = Round;
      for (Vertex Other : C.after(C.classOf(V)))
        visit(Other, V, Distance);
    }
    Work.clear();
  }

  /// The accesses on the way to one that conflicts with To, or nothing when there is no way.
  std::vector<EventRef> wayTo(Vertex To) const {
    // No write, and no remote atomic, comes between the two halves of a remote atomic (the atomics condition,
    // and the lock of the node): what goes before the second half goes before the first. Only plain reads
    // tell them apart.
    bool Half = C.ref(To).Kind == EventKind::narW;
    Vertex End{None, None};
    unsigned Least = None;
    // What comes before it and lies in a section of the same lock lies in an earlier one: that ends before
    // this one begins, and before all that comes behind it.
    const Sections::Locks Within = C.within(To);
    for (Vertex Other : C.before(C.classOf(To))) {
      EventKind Kind = C.ref(Other).Kind;
      if (C.within(Other) & Within)
        continue;
      if (Half && (writes(Kind) || Kind == EventKind::narR))
        continue;
      const Step &Last = Steps[Other.Thread][Other.Id];
      if (Last.Round == Round && Last.Distance < Least) {
        Least = Last.Distance;
        End = Other;
      }
    }
    if (Least == None)
      return {};
    std::vector<Vertex> Way;
    for (Vertex V = End; V.Thread != None; V = Steps[V.Thread][V.Id].From)
      Way.push_back(V);
    std::reverse(Way.begin(), Way.end());
    return turningPoints(Way);
  }

private:
  /// How an event was reached, in which round.
  struct Step {
    unsigned Round = 0, Distance = 0;
    Vertex From = {None, None};
  };

  void visit(Vertex V, Vertex From, unsigned Distance) {
    Step &S = Steps[V.Thread][V.Id];
    if (V.Thread == Examined || S.Round == Round)
      return;
    S = {Round, Distance, From};
    Work.push_back(V);
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

  const Analysis &A;
  const Conflicts &C;
  ThreadIndex Examined = None;
  unsigned Round = 0;
  std::vector<std::vector<Step>> Steps; ///< per thread and event
  std::vector<unsigned> Reached;        ///< by class: the round that visited what conflicts with it
  std::vector<Vertex> Work;
};

} // namespace

Violations openCycles(const Analysis &A) {
  Violations Cycles(Rule::CriticalCycle, A.Numbers);
  Conflicts C(A);
  Reach FromLater(A, C);
  const unsigned NoWay = Cycles.addWay({});
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    const std::vector<OpenPair> &Open = A.Open[T];
    // Pairs whose later events reach the same, one after the other.
    std::map<std::vector<Vertex>, std::vector<unsigned>> ByAfter;
    std::map<std::pair<AccessClass, Sections::Locks>, std::vector<unsigned> *> ByLater;
    for (unsigned I = 0; I < Open.size(); ++I)
      if (A.connected(T, Open[I])) {
        AccessClass Later = C.classOf({T, Open[I].Later});
        const Sections::Locks Over = C.followed({T, Open[I].Earlier}, {T, Open[I].Later});
        std::vector<unsigned> *&Pairs = ByLater[{Later, Over}];
        if (!Pairs)
          Pairs = &ByAfter[C.after(Later, Over)];
        Pairs->push_back(I);
      }
    std::vector<unsigned> WayOf(Open.size(), NoWay);
    for (const auto &[After, Pairs] : ByAfter) {
      FromLater.from(T, After);
      std::vector<unsigned> Known(2 * C.classes(), None); // half of an atomic or not
      for (unsigned I : Pairs) {
        Vertex To{T, Open[I].Earlier};
        unsigned &Way = Known[2 * C.classOf(To) + (C.ref(To).Kind == EventKind::narW)];
        if (Way == None) {
          std::vector<EventRef> Found = FromLater.wayTo(To);
          Way = Found.empty() ? NoWay : Cycles.addWay(std::move(Found));
        }
        WayOf[I] = Way;
      }
    }
    for (unsigned I = 0; I < Open.size(); ++I)
      if (WayOf[I] != NoWay || (A.Code.OpenWorld && A.connected(T, Open[I])))
        Cycles.add(A.numbered(T, Open[I], WayOf[I]));
  }
  return Cycles;
}

} // namespace rdma

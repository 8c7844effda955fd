#include "analyzer/core/Conditions.h"
#include "analyzer/core/Handshakes.h"
#include "analyzer/core/Sections.h"
#include "analyzer/core/StoreToLoad.h"
#include "analyzer/core/Turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
  /// How accesses are left: those of one thread and one way of leaving lead from a location to the same.
  using Leaving = unsigned;

  explicit Conflicts(const Analysis &A) : A(A), Waits(A), In(A), At(A.Where.size()) {
    std::map<std::tuple<ThreadIndex, bool, LocationId, std::vector<bool>, Sections::Locks>, AccessClass>
        Known;
    std::map<std::pair<bool, std::vector<bool>>, Leaving> Ways;
    for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
      ClassOf.emplace_back(A.Threads[T].Events.size(), None);
      NumberOf.emplace_back(A.Threads[T].Events.size(), None);
      for (EventId E : A.Threads[T].Order) {
        if (!A.Public[T][E])
          continue;
        LocationId L = A.Where.of(T, E);
        const bool Write = writes(A.ref(T, E).Kind);
        std::vector<bool> Place = Waits.placeOf(T, E);
        auto [Found, New] = Known.try_emplace({T, Write, L, Place, In.within(T, E)}, First.size());
        if (New) {
          First.push_back({T, E});
          LeavingOf.push_back(Ways.try_emplace({Write, std::move(Place)}, Ways.size()).first->second);
        }
        ClassOf[T][E] = Found->second;
        NumberOf[T][E] = Number.size();
        At[L].push_back({T, E});
        Number.push_back({T, E});
      }
    }
    Leavings = Ways.size();
  }

  AccessClass classOf(Vertex V) const { return ClassOf[V.Thread][V.Id]; }
  std::size_t classes() const { return First.size(); }
  /// Of public accesses, in the order of the program.
  unsigned numberOf(Vertex V) const { return NumberOf[V.Thread][V.Id]; }
  Vertex numbered(unsigned Number) const { return this->Number[Number]; }
  Leaving leavingOf(AccessClass C) const { return LeavingOf[C]; }
  std::size_t leavings() const { return Leavings; }

  const std::vector<LocationId> &around(AccessClass C) const {
    return A.Where.overlapping(A.Where.of(First[C].Thread, First[C].Id));
  }
  const std::vector<Vertex> &at(LocationId L) const { return At[L]; }

  /// Of accesses at locations around a class: do they conflict with those of the class, and may they come
  /// after them? Copies of a thread that stands for many conflict too.
  bool mayFollow(AccessClass C, Vertex Other) const {
    const Vertex V = First[C];
    return conflict(V, Other) && !Waits.over(V.Thread, V.Id, Other.Thread, Other.Id);
  }
  /// The same, and before them.
  bool mayPrecede(AccessClass C, Vertex Other) const {
    const Vertex V = First[C];
    return conflict(V, Other) && !Waits.over(Other.Thread, Other.Id, V.Thread, V.Id);
  }

  /// All that may follow a class, without those that lie in sections of one of these locks, by number.
  std::vector<unsigned> after(AccessClass C, Sections::Locks Without) const {
    std::vector<unsigned> Some;
    for (LocationId L : around(C))
      for (Vertex Other : At[L])
        if (mayFollow(C, Other) && !(within(Other) & Without))
          Some.push_back(numberOf(Other));
    std::sort(Some.begin(), Some.end());
    return Some;
  }

  /// Locks of sections that come behind the one that the later access of an open pair lies in, and before
  /// which the earlier one is over.
  Sections::Locks followed(Vertex Earlier, Vertex Later) const {
    return In.closed(Earlier.Thread, Earlier.Id) & In.held(Later.Thread, Later.Id);
  }
  /// The locks of the sections that the access lies in as a whole.
  Sections::Locks within(Vertex V) const { return In.within(V.Thread, V.Id); }

  const EventRef &ref(Vertex V) const { return A.ref(V.Thread, V.Id); }
  bool isMany(ThreadIndex T) const { return A.Code.Threads[T].Many; }

private:
  bool conflict(Vertex V, Vertex Other) const {
    return (Other.Thread != V.Thread || isMany(V.Thread)) && (writes(ref(V).Kind) || writes(ref(Other).Kind));
  }

  const Analysis &A;
  Handshakes Waits;
  Sections In;
  std::vector<std::vector<AccessClass>> ClassOf; ///< per thread and event
  std::vector<std::vector<unsigned>> NumberOf;   ///< likewise
  std::vector<Vertex> First;                     ///< of each class
  std::vector<Leaving> LeavingOf;                ///< likewise
  std::size_t Leavings = 0;
  std::vector<Vertex> Number;          ///< public accesses
  std::vector<std::vector<Vertex>> At; ///< by location
};

/// Everything that the later events of some classes reach through other threads, with a shortest way to each.
class Reach {
public:
  Reach(const Analysis &A, const Conflicts &C)
      : A(A), C(C), Reached(C.classes()), Left(C.leavings(), std::vector<By>(A.Where.size())) {
    for (const EventGraph &G : A.Threads)
      Steps.emplace_back(G.Events.size());
  }

  /// Anew, from what conflicts with a later event; its thread is the one under examination.
  void from(ThreadIndex Thread, const std::vector<unsigned> &After) {
    Examined = Thread;
    ++Round;
    for (unsigned First : After)
      visit(C.numbered(First), {None, None}, 0);
    for (std::size_t Next = 0; Next < Work.size(); ++Next) {
      Vertex V = Work[Next];
      unsigned Distance = Steps[V.Thread][V.Id].Distance + 1;
      for (EventId Behind : A.Threads[V.Thread].Events[V.Id].Successors)
        visit({V.Thread, Behind}, V, Distance);
      if (!A.Public[V.Thread][V.Id] || Reached[C.classOf(V)] == Round)
        continue;
      Reached[C.classOf(V)] = Round;
      leave(V, Distance);
    }
    Work.clear();
  }

  /// The accesses that have been reached and may come before To.
  std::vector<Vertex> before(Vertex To) const {
    std::vector<Vertex> Some;
    // No write, and no remote atomic, comes between the two halves of a remote atomic (the atomics condition,
    // and the lock of the node): what goes before the second half goes before the first. Only plain reads
    // tell them apart.
    const bool Half = C.ref(To).Kind == EventKind::narW;
    // What comes before it and lies in a section of the same lock lies in an earlier one: that ends before
    // this one begins, and before all that comes behind it.
    const Sections::Locks Within = C.within(To);
    for (LocationId L : C.around(C.classOf(To)))
      for (Vertex Other : C.at(L)) {
        const EventKind Kind = C.ref(Other).Kind;
        if (Steps[Other.Thread][Other.Id].Round == Round && !(C.within(Other) & Within) &&
            !(Half && (writes(Kind) || Kind == EventKind::narR)) && C.mayPrecede(C.classOf(To), Other))
          Some.push_back(Other);
      }
    return Some;
  }

  /// The accesses on the way to one that conflicts with To, or nothing when there is no way.
  std::vector<EventRef> wayTo(Vertex To) const {
    std::pair<unsigned, unsigned> Least{None, None}; // distance and number
    for (Vertex Other : before(To))
      Least = std::min(Least, {Steps[Other.Thread][Other.Id].Distance, C.numberOf(Other)});
    if (Least.second == None)
      return {};
    std::vector<Vertex> Way;
    for (Vertex V = C.numbered(Least.second); V.Thread != None; V = Steps[V.Thread][V.Id].From)
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

  /// From which threads a location was left, in which round: all that conflicts there has been visited but
  /// the accesses of the thread, if it is one.
  struct By {
    unsigned Round = 0;
    ThreadIndex One = None;
    bool All = false;
  };

  /// To what conflicts with the access, in the order of the program. What somebody has left in the same way
  /// leads nowhere else, but to his own thread.
  void leave(Vertex V, unsigned Distance) {
    const AccessClass Class = C.classOf(V);
    Fresh.clear();
    for (LocationId L : C.around(Class)) {
      By &Before = Left[C.leavingOf(Class)][L];
      const bool Again = Before.Round == Round;
      if (Again && (Before.All || Before.One == V.Thread))
        continue;
      for (Vertex Other : C.at(L))
        if (isNew(Other) && C.mayFollow(Class, Other))
          Fresh.push_back(C.numberOf(Other));
      Before = {Round, V.Thread, Again || C.isMany(V.Thread)};
    }
    std::sort(Fresh.begin(), Fresh.end());
    for (unsigned Other : Fresh)
      visit(C.numbered(Other), V, Distance);
  }

  bool isNew(Vertex V) const { return V.Thread != Examined && Steps[V.Thread][V.Id].Round != Round; }

  void visit(Vertex V, Vertex From, unsigned Distance) {
    if (!isNew(V))
      return;
    Steps[V.Thread][V.Id] = {Round, Distance, From};
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
  std::vector<std::vector<By>> Left;    ///< by way of leaving and location
  std::vector<unsigned> Fresh;
  std::vector<Vertex> Work;
};

/// Do threads that take turns leave a way for a cycle? One through a single other thread they may exclude.
class InTurns {
public:
  InTurns(const Analysis &A, const Conflicts &C) : A(A), C(C) {}

  bool leaveWay(ThreadIndex T, const OpenPair &Pair, const std::vector<unsigned> &After,
                const Reach &Reached) {
    if (!Taken)
      Taken.emplace(A);
    if (!Taken->any(T))
      return true;
    std::map<ThreadIndex, std::vector<EventId>> From, To;
    for (unsigned Number : After)
      if (Vertex V = C.numbered(Number); V.Thread != T)
        From[V.Thread].push_back(V.Id);
    for (Vertex V : Reached.before({T, Pair.Earlier}))
      To[V.Thread].push_back(V.Id);
    for (const auto &[Other, Some] : From)
      if (A.Code.Threads[Other].Many || leadsOn(T, Other, Some, To) ||
          Taken->mayClose(T, Pair, Other, Some, To[Other]))
        return true;
    return false;
  }

private:
  /// Does a way lead from events of one thread through further threads to where the cycle closes?
  bool leadsOn(ThreadIndex T, ThreadIndex First, const std::vector<EventId> &From,
               const std::map<ThreadIndex, std::vector<EventId>> &To) const {
    std::set<std::pair<Vertex, bool>> Seen; // true: in a further thread
    std::vector<std::pair<Vertex, bool>> Work;
    auto visit = [&](Vertex V, bool Further) {
      if (Seen.emplace(V, Further).second)
        Work.emplace_back(V, Further);
    };
    for (EventId E : From)
      visit({First, E}, false);
    while (!Work.empty()) {
      const auto [V, Further] = Work.back();
      Work.pop_back();
      auto Ends = To.find(V.Thread);
      if (Further && Ends != To.end() && std::ranges::find(Ends->second, V.Id) != Ends->second.end())
        return true;
      for (EventId Behind : A.Threads[V.Thread].Events[V.Id].Successors)
        visit({V.Thread, Behind}, Further);
      if (A.Public[V.Thread][V.Id])
        for (unsigned Number : C.after(C.classOf(V), 0))
          if (Vertex Next = C.numbered(Number); Next.Thread != T && Next.Thread != V.Thread)
            visit(Next, true);
    }
    return false;
  }

  const Analysis &A;
  const Conflicts &C;
  std::optional<Turns> Taken; ///< asked only where a cycle is found
};

} // namespace

Violations openCycles(const Analysis &A) { return openCycles(A, A.Open); }

Violations openCycles(const Analysis &A, const std::vector<std::vector<OpenPair>> &Pairs) {
  Violations Cycles(Rule::CriticalCycle, A.Numbers);
  Conflicts C(A);
  Reach FromLater(A, C);
  StoreToLoad Between(A);
  InTurns Turn(A, C);
  const unsigned NoWay = Cycles.addWay({});
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    const std::vector<OpenPair> &Open = Pairs[T];
    // Pairs whose later events reach the same, one after the other.
    std::map<std::vector<unsigned>, std::vector<unsigned>> ByAfter;
    std::map<std::pair<AccessClass, Sections::Locks>, std::vector<unsigned> *> InSections;
    std::vector<std::vector<unsigned> *> ByLater(C.classes()); // in no section that matters: most of them
    for (unsigned I = 0; I < Open.size(); ++I)
      if (A.connected(T, Open[I]) && !Between.isHarmless(T, Open[I])) {
        AccessClass Later = C.classOf({T, Open[I].Later});
        const Sections::Locks Over = C.followed({T, Open[I].Earlier}, {T, Open[I].Later});
        std::vector<unsigned> *&Numbers = Over ? InSections[{Later, Over}] : ByLater[Later];
        if (!Numbers)
          Numbers = &ByAfter[C.after(Later, Over)];
        Numbers->push_back(I);
      }
    std::vector<unsigned> WayOf(Open.size(), NoWay);
    for (const auto &[After, Numbers] : ByAfter) {
      FromLater.from(T, After);
      std::vector<unsigned> Known(2 * C.classes(), None); // half of an atomic or not
      for (unsigned I : Numbers) {
        Vertex To{T, Open[I].Earlier};
        unsigned &Way = Known[2 * C.classOf(To) + (C.ref(To).Kind == EventKind::narW)];
        if (Way == None) {
          std::vector<EventRef> Found = FromLater.wayTo(To);
          Way = Found.empty() ? NoWay : Cycles.addWay(std::move(Found));
        }
        WayOf[I] = Way != NoWay && Turn.leaveWay(T, Open[I], After, FromLater) ? Way : NoWay;
      }
    }
    for (unsigned I = 0; I < Open.size(); ++I)
      if (WayOf[I] != NoWay ||
          (A.Code.OpenWorld && A.connected(T, Open[I]) && !Between.isHarmless(T, Open[I])))
        Cycles.add(A.numbered(T, Open[I], WayOf[I]));
  }
  return Cycles;
}

} // namespace rdma

#include "rewriter/plan/OptionalGraph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>

namespace rdma {

/// GuaranteedBefore looks at the events as they are when it is asked: one that is off is a join.
struct OptionalGraph::ThreadGraph {
  ThreadGraph(const Program &P, ThreadIndex T) : G(eventGraph(P, T)) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph Ways(G.Events.size());
    Previous.resize(G.Events.size());
    Of.resize(G.Events.size());
    Seen.resize(G.Events.size());
    Position.resize(G.Events.size());
    for (unsigned At = 0; At < G.Order.size(); ++At)
      Position[G.Order[At]] = At;
    for (EventId E : G.Order)
      for (EventId Next : G.Events[E].Successors) {
        boost::add_edge(E, Next, Ways);
        Previous[Next].push_back(E);
      }
    std::vector<unsigned> Component(G.Events.size());
    unsigned Count = boost::strong_components(Ways, Component.data());
    std::vector<unsigned> Size(Count);
    for (unsigned C : Component)
      ++Size[C];
    for (EventId E = 0; E < G.Events.size(); ++E) {
      const auto &Next = G.Events[E].Successors;
      InCycle.push_back(Size[Component[E]] > 1 || std::find(Next.begin(), Next.end(), E) != Next.end());
    }
  }
  GuaranteedBefore &under(Model M, const Program &P) {
    auto &Gb = ByModel[M];
    if (!Gb)
      Gb = std::make_unique<GuaranteedBefore>(P, G, M);
    return *Gb;
  }

  EventGraph G;
  std::vector<std::vector<EventId>> Previous;
  std::vector<bool> InCycle;
  std::vector<unsigned> Position; ///< per event, its place in G.Order
  std::vector<unsigned> Seen;     ///< per event, the walk that came by last
  unsigned Walk = 0;
  std::vector<std::vector<unsigned>> Of; ///< per event, the candidates that it belongs to
  std::map<Model, std::unique_ptr<GuaranteedBefore>> ByModel;
};

OptionalGraph::OptionalGraph(const Program &P, const std::vector<PlannedEdit> &Candidates, Model M,
                             const std::vector<Violation> &Required)
    : Choices(Candidates), On(Candidates.size(), true) {
  std::vector<std::vector<Inserted>> Where;
  All = applied(P, Candidates, &Where);
  for (ThreadIndex T = 0; T < All.Threads.size(); ++T)
    Threads.push_back(std::make_unique<ThreadGraph>(All, T));
  // Event numbers by statement.
  std::vector<std::vector<std::vector<EventId>>> Of(Threads.size());
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    Of[T].resize(All.Threads[T].Statements.size());
    for (EventId E : Threads[T]->G.Order)
      if (!Threads[T]->G.Events[E].Joins)
        Of[T][Threads[T]->G.Events[E].Ref.Statement].push_back(E);
  }
  auto Kind = [&](ThreadIndex T, EventId E) { return Threads[T]->G.Events[E].Ref.Kind; };
  for (unsigned C = 0; C < Candidates.size(); ++C) {
    Events.emplace_back();
    for (const Inserted &I : Where[C]) {
      for (StatementId S : I.Statements)
        for (EventId E : Of[I.Thread][S])
          Events[C].push_back({I.Thread, E});
      if (I.Flagged != None)
        for (EventId E : Of[I.Thread][I.Flagged])
          if (Kind(I.Thread, E) == EventKind::nF)
            Events[C].push_back({I.Thread, E});
    }
    for (auto [T, E] : Events[C])
      Threads[T]->Of[E].push_back(C);
  }
  std::map<std::tuple<ThreadIndex, StatementId, StatementId>, std::vector<unsigned>> Counted;
  for (unsigned C = 0; C < Candidates.size(); ++C)
    if (Candidates[C].Counts)
      for (const Copy &At : copiesOf(P, Candidates[C]))
        for (auto [First, Second] : countedPairs(P, Candidates[C], At))
          Counted[{At.Thread, First, Second}].push_back(C);
  for (const Violation &V : Required) {
    Pair New{V.First.Thread, V.Broken == Rule::LocalRace ? Model::RdmaSc : M, {}, {}, {}};
    auto Known = Counted.find({V.First.Thread, V.First.Statement, V.Second.Statement});
    if (V.Broken == Rule::LocalRace && Known != Counted.end())
      New.Counted = Known->second;
    for (EventId E : Of[New.Thread][V.First.Statement])
      if (Threads[New.Thread]->G.Events[E].Ref == V.First)
        New.Firsts.push_back(E);
    for (EventId E : Of[New.Thread][V.Second.Statement])
      if (Threads[New.Thread]->G.Events[E].Ref == V.Second)
        New.Seconds.push_back(E);
    Threads[New.Thread]->under(New.Under, All); // made while the graph is whole
    Pairs.push_back(std::move(New));
  }
}

OptionalGraph::~OptionalGraph() = default;

void OptionalGraph::set(unsigned Candidate, bool Wanted) {
  if (On[Candidate] == Wanted)
    return;
  On[Candidate] = Wanted;
  // An event that several candidates share is there when one of them is.
  for (auto [T, E] : Events[Candidate]) {
    const auto &Owners = Threads[T]->Of[E];
    Threads[T]->G.Events[E].Joins =
        std::none_of(Owners.begin(), Owners.end(), [&](unsigned C) { return On[C]; });
  }
}

void OptionalGraph::choose(const std::vector<unsigned> &Candidates) {
  std::vector<bool> Wanted(On.size());
  for (unsigned C : Candidates)
    Wanted[C] = true;
  for (unsigned C = 0; C < Wanted.size(); ++C)
    set(C, Wanted[C]);
}

void OptionalGraph::chooseAll() {
  for (unsigned C = 0; C < On.size(); ++C)
    set(C, true);
}

bool OptionalGraph::isCounted(const Pair &P) const {
  return std::any_of(P.Counted.begin(), P.Counted.end(), [&](unsigned C) { return On[C]; });
}

/// What comes behind the later event is of no interest, unless a loop leads back to it.
bool OptionalGraph::isOpen(const Pair &P) {
  if (isCounted(P))
    return false;
  ThreadGraph &T = *Threads[P.Thread];
  bool Cut = P.Seconds.size() == 1 && !T.InCycle[P.Seconds[0]];
  std::vector<EventId> Behind;
  if (Cut)
    Behind = std::exchange(T.G.Events[P.Seconds[0]].Successors, {});
  bool Open = false;
  for (EventId First : P.Firsts) {
    GuaranteedBefore::After After = T.under(P.Under, All).after(First);
    for (EventId Second : P.Seconds)
      Open |= After.Reached[Second] && !After.Ordered[Second];
  }
  if (Cut)
    T.G.Events[P.Seconds[0]].Successors = std::move(Behind);
  return Open;
}

std::vector<unsigned> OptionalGraph::open(const std::vector<unsigned> &Required) {
  // One pass from an event tells of all that come later.
  std::map<std::tuple<ThreadIndex, Model, EventId>, std::vector<std::pair<unsigned, EventId>>> From;
  for (unsigned R : Required)
    for (EventId First : isCounted(Pairs[R]) ? std::vector<EventId>() : Pairs[R].Firsts)
      for (EventId Second : Pairs[R].Seconds)
        From[{Pairs[R].Thread, Pairs[R].Under, First}].push_back({R, Second});
  std::set<unsigned> Open;
  for (const auto &[Where, To] : From) {
    auto [T, M, First] = Where;
    if (To.size() == 1) {
      if (isOpen({T, M, {First}, {To[0].second}, {}}))
        Open.insert(To[0].first);
      continue;
    }
    GuaranteedBefore::After After = Threads[T]->under(M, All).after(First);
    for (auto [R, Second] : To)
      if (After.Reached[Second] && !After.Ordered[Second])
        Open.insert(R);
  }
  return {Open.begin(), Open.end()};
}

void OptionalGraph::sortByDistance(std::vector<unsigned> &Required) const {
  auto Distance = [&](unsigned R) {
    const Pair &P = Pairs[R];
    const ThreadGraph &T = *Threads[P.Thread];
    return std::abs(int(T.Position[P.Seconds.front()]) - int(T.Position[P.Firsts.front()]));
  };
  std::stable_sort(Required.begin(), Required.end(),
                   [&](unsigned A, unsigned B) { return Distance(A) < Distance(B); });
}

bool OptionalGraph::leadsFrom(const std::vector<bool> &Candidates, unsigned Required) {
  const Pair &P = Pairs[Required];
  ThreadGraph &T = *Threads[P.Thread];
  ++T.Walk;
  std::vector<EventId> Work(P.Seconds);
  while (!Work.empty()) {
    EventId E = Work.back();
    Work.pop_back();
    if (std::exchange(T.Seen[E], T.Walk) == T.Walk)
      continue;
    if (std::any_of(T.Of[E].begin(), T.Of[E].end(), [&](unsigned C) { return Candidates[C]; }))
      return true;
    if (!T.InCycle[E] && std::find(P.Firsts.begin(), P.Firsts.end(), E) != P.Firsts.end())
      continue;
    Work.insert(Work.end(), T.Previous[E].begin(), T.Previous[E].end());
  }
  return false;
}

std::vector<unsigned> OptionalGraph::between(unsigned Required) const {
  const Pair &P = Pairs[Required];
  const ThreadGraph &T = *Threads[P.Thread];
  std::vector<bool> After(T.G.Events.size()), Before(T.G.Events.size());
  std::vector<EventId> Work(P.Firsts);
  auto IsSecond = [&](EventId E) {
    return std::find(P.Seconds.begin(), P.Seconds.end(), E) != P.Seconds.end();
  };
  for (EventId E : Work)
    After[E] = true;
  while (!Work.empty()) {
    EventId E = Work.back();
    Work.pop_back();
    if (IsSecond(E) && !T.InCycle[E])
      continue;
    for (EventId Next : T.G.Events[E].Successors)
      if (!After[Next]) {
        After[Next] = true;
        Work.push_back(Next);
      }
  }
  std::vector<unsigned> Found;
  Work = P.Seconds;
  for (EventId E : Work)
    Before[E] = true;
  while (!Work.empty()) {
    EventId E = Work.back();
    Work.pop_back();
    Found.insert(Found.end(), T.Of[E].begin(), T.Of[E].end());
    for (EventId From : T.Previous[E])
      if (After[From] && !Before[From]) {
        Before[From] = true;
        Work.push_back(From);
      }
  }
  std::sort(Found.begin(), Found.end());
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  return Found;
}

/// A flush does all that a wait at the same place does.
bool OptionalGraph::isFlushOf(unsigned Flush, unsigned Wait) const {
  const PlannedEdit &A = Choices[Flush], &B = Choices[Wait];
  return A.What == Remedy::PolledGet && B.What == Remedy::Poll && !B.Counts && A.At == B.At &&
         A.How == B.How && A.Level == B.Level && A.Why.Second.Thread == B.Why.Second.Thread &&
         A.Why.First.Pair == B.Why.First.Pair;
}

/// One after the other, what leaves the pair open is switched on and the rest is needed. As order only grows,
/// many that leave it open together are as many that do one after the other: as long as they do, twice as
/// many are tried at once.
Clause OptionalGraph::clause(unsigned Required) {
  const Pair &P = Pairs[Required];
  std::vector<unsigned> Off = between(Required);
  std::erase_if(Off, [&](unsigned C) { return On[C]; });
  auto Set = [&](std::size_t From, std::size_t To, bool On) {
    for (std::size_t At = From; At < To; ++At)
      set(Off[At], On);
  };
  Clause Needed;
  std::size_t Count = 1;
  for (std::size_t At = 0; At < Off.size();) {
    // The flush is listed right behind its wait.
    if (Count == 1 && !Needed.empty() && isFlushOf(Off[At], Needed.back())) {
      Needed.push_back(Off[At++]);
      continue;
    }
    const std::size_t To = std::min(At + Count, Off.size());
    Set(At, To, true);
    if (isOpen(P)) {
      At = To;
      Count *= 2;
      continue;
    }
    Set(At, To, false);
    if (To - At == 1)
      Needed.push_back(Off[At++]);
    Count = std::max<std::size_t>(1, (To - At) / 2);
  }
  Set(0, Off.size(), false);
  return Needed;
}

} // namespace rdma

#include "analyzer/core/Conditions.h"
#include "analyzer/core/Verdict.h"

#include <algorithm>

namespace rdma {
namespace {

/// Is the earlier request known to be complete, or to use other bytes, whenever the later statement runs?
bool clear(const Program &P, const EventRef &Earlier, const EventRef &Later) {
  const std::vector<Statement> &All = P.Threads[Earlier.Thread].Statements;
  const std::vector<WorkId> &Of = All[Later.Statement].ClearOf;
  WorkId Id = All[Earlier.Statement].Op.Id;
  const Operation &Op = All[Later.Statement].Op;
  bool Local = !isRemote(Earlier.Kind) && Earlier.Location == All[Earlier.Statement].Op.Local &&
               !isRemote(Later.Kind) && (Later.Location == Op.Local || Op.Kind == OperationKind::Store);
  return Id != None && Local && std::find(Of.begin(), Of.end(), Id) != Of.end();
}

/// Is there one for which the predicate holds? In the order of the threads.
template <typename Predicate> bool anyLocalRace(const Program &P, Predicate Holds) {
  const std::vector<EventGraph> Threads = eventGraphs(P);
  const Locations Where(P, Threads);
  return std::any_of(Threads.begin(), Threads.end(), [&](const EventGraph &G) {
    if (P.Threads[G.Thread].Many)
      return false;
    const std::vector<OpenPair> Open = openPairs(P, G, Where, Model::RdmaSc, {}).Pairs;
    return std::any_of(Open.begin(), Open.end(), [&](const OpenPair &Pair) {
      const EventRef &Earlier = G.Events[Pair.Earlier].Ref, &Later = G.Events[Pair.Later].Ref;
      return conflict(P, Earlier, Later) && !clear(P, Earlier, Later) && Holds(Earlier, Later);
    });
  });
}

} // namespace

Violations localRaces(const Analysis &A) {
  Violations Races(Rule::LocalRace, A.Numbers);
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Races[T])
      if (!clear(A.Code, A.ref(T, Pair.Earlier), A.ref(T, Pair.Later)))
        Races.add(A.numbered(T, Pair));
  return Races;
}

bool hasLocalRaces(const Program &P) {
  return anyLocalRace(P, [](const EventRef &, const EventRef &) { return true; });
}

std::vector<SeenOpen> ruledOut(const Program &P, std::vector<SeenOpen> Seen) {
  std::erase_if(Seen, [&](const SeenOpen &Pair) { return P.Threads[Pair.Thread].Many; });
  auto meets = [&](const EventRef &Earlier, const EventRef &Later) {
    auto source = [&](const EventRef &E) { return P.Threads[E.Thread].Statements[E.Statement].Source; };
    std::erase(Seen, SeenOpen{Earlier.Thread, source(Earlier), source(Later)});
    return Seen.empty();
  };
  if (!Seen.empty())
    anyLocalRace(P, meets);
  return Seen;
}

} // namespace rdma

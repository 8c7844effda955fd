#include "analyzer/core/Observing.h"

#include "ir/SubEvents.h"

namespace rdma {

using enum OperationKind;

Access lookedAt(const Statement &S) {
  Access Found;
  if (S.Op.Kind != Load && S.Op.Kind != Store)
    return Found;
  for (const SubEvents &Way : expand(S.Op))
    for (const SubEvent &E : Way)
      if (E.Kind == EventKind::lR)
        Found = E.Location;
  return Found;
}

/// The looks behind a join that may each have heard the end of a thread.
static void looksBehind(const Thread &T, StatementId Join, std::vector<StatementId> &Looks) {
  for (StatementId S = Join; T.Statements[S].Successors.size() == 1;) {
    S = T.Statements[S].Successors.front();
    if (!lookedAt(T.Statements[S]).valid() || T.Statements[S].Source != T.Statements[Join].Source)
      return;
    Looks.push_back(S);
  }
}

std::map<ThreadIndex, Observing> observing(const Program &P) {
  std::map<ThreadIndex, Observing> All;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S) {
      const Statement &Here = P.Threads[T].Statements[S];
      if (Here.Op.Kind != Nop || Here.Lost == None)
        continue;
      const LostFact &Fact = P.LostFacts[Here.Lost];
      if (!Fact.Joins && !Fact.Throws && !Fact.Last)
        continue;
      Observing &Mine = All.try_emplace(T, Observing{Here.Lost, {}, {}}).first->second;
      if (Fact.Throws || Fact.Last)
        Mine.Seldom.push_back(S);
      else
        looksBehind(P.Threads[T], S, Mine.Looks);
      if (const LostFact &First = P.LostFacts[Mine.Fact]; (Fact.Joins || Fact.Last) && First.Throws)
        Mine.Fact = Here.Lost;
    }
  return All;
}

LostFactId whySeen(const Violation &X, const std::map<ThreadIndex, Observing> &Observers) {
  LostFactId Why = None;
  for (const EventRef &E : X.Observers)
    if (auto Found = Observers.find(E.Thread); Found != Observers.end() && Why == None)
      Why = Found->second.Fact;
  auto Own = Observers.find(X.First.Thread);
  return Why == None && !X.Observers.empty() && Own != Observers.end() ? Own->second.Fact : Why;
}

Program heardAndQuiet(const Program &P, const std::map<ThreadIndex, Observing> &Observers) {
  Program Favoured = P;
  for (const auto &[T, What] : Observers) {
    for (StatementId S : What.Seldom)
      Favoured.Threads[T].Statements[S].Successors.clear();
    for (StatementId S : What.Looks) {
      Operation Heard;
      Heard.Kind = Assume;
      Heard.Local = lookedAt(P.Threads[T].Statements[S]);
      Heard.Constant = 1;
      Favoured.Threads[T].Statements[S].Op = std::move(Heard);
    }
  }
  return Favoured;
}

} // namespace rdma

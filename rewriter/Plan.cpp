#include "rewriter/Plan.h"

#include <algorithm>
#include <cmath>

namespace rdma {
namespace {

double baseCost(Remedy R) {
  switch (R) {
  case Remedy::RemoteFence:
    return 1;
  case Remedy::MemoryFence:
    return 2;
  case Remedy::Poll:
    return 10;
  case Remedy::PolledGet:
    return 20;
  case Remedy::Impossible:
    break;
  }
  return INFINITY;
}

const Statement &secondOf(const Program &P, const Violation &V) {
  return P.Threads[V.Second.Thread].Statements[V.Second.Statement];
}

PlannedEdit edit(const Program &P, const Violation &V, Remedy R) {
  return {R, V, baseCost(R) * std::pow(10, secondOf(P, V).LoopDepth)};
}

/// The same text would be inserted at the same place, be it inlined or unrolled into several statements.
bool sameEdit(const Program &P, const PlannedEdit &A, const PlannedEdit &B) {
  const Statement &X = secondOf(P, A.Why), &Y = secondOf(P, B.Why);
  bool SameStatement =
      A.Why.Second.Thread == B.Why.Second.Thread && A.Why.Second.Statement == B.Why.Second.Statement;
  bool SamePlace = X.Where.known() && X.Where == Y.Where && X.Op.Kind == Y.Op.Kind &&
                   P.Threads[A.Why.Second.Thread].Name == P.Threads[B.Why.Second.Thread].Name;
  if (A.What != B.What || !(SameStatement || SamePlace))
    return false;
  if (A.What == Remedy::RemoteFence || A.What == Remedy::MemoryFence)
    return true;
  const std::string &Name = P.QueuePairs[A.Why.First.Pair].Name;
  return A.Why.First.Pair == B.Why.First.Pair ||
         (!Name.empty() && Name == P.QueuePairs[B.Why.First.Pair].Name);
}

bool holds(const Program &P, const std::vector<PlannedEdit> &List, const PlannedEdit &E) {
  return std::any_of(List.begin(), List.end(), [&](const PlannedEdit &X) { return sameEdit(P, X, E); });
}

/// The cheapest remedy for the pair and the dearer ones that do as much.
std::vector<Remedy> remediesFor(const Violation &V) {
  Remedy Cheapest = cheapestRemedy(V);
  if (V.Broken == Rule::Atomics || Cheapest == Remedy::Impossible)
    return {};
  if (Cheapest == Remedy::MemoryFence)
    return {Cheapest};
  std::vector<Remedy> All = {Remedy::RemoteFence, Remedy::Poll, Remedy::PolledGet};
  std::erase_if(All, [&](Remedy R) { return R < Cheapest; });
  return All;
}

class Planner {
public:
  Planner(const Program &P, Model M, const std::vector<PlannedEdit> &Excluded)
      : P(P), M(M), Excluded(Excluded) {}

  Plan run() {
    std::vector<Violation> Open = openAfter(Result.Edits);
    while (std::optional<PlannedEdit> Best = bestFor(Open)) {
      Result.Edits.push_back(*Best);
      Open = openAfter(Result.Edits);
    }
    dropRedundant(Open.size());
    Result.Left = openAfter(Result.Edits);
    return std::move(Result);
  }

private:
  std::vector<Violation> openAfter(const std::vector<PlannedEdit> &Edits) const {
    Program Edited = applied(P, Edits);
    return toRepair(Edited, decide(Edited, M));
  }

  std::vector<PlannedEdit> candidates(const std::vector<Violation> &Open) const {
    std::vector<PlannedEdit> Found;
    for (const Violation &V : Open)
      for (Remedy R : remediesFor(V)) {
        // What an edit inserted is no place for another.
        if (V.Second.Statement >= P.Threads[V.Second.Thread].Statements.size())
          continue;
        PlannedEdit E = edit(P, V, R);
        if (!holds(P, Found, E) && !holds(P, Result.Edits, E) && !holds(P, Excluded, E))
          Found.push_back(E);
      }
    return Found;
  }

  std::optional<PlannedEdit> bestFor(const std::vector<Violation> &Open) const {
    std::optional<PlannedEdit> Best;
    double BestGain = 0;
    for (const PlannedEdit &E : candidates(Open)) {
      std::vector<PlannedEdit> With = Result.Edits;
      With.push_back(E);
      double Gain = (double(Open.size()) - double(openAfter(With).size())) / E.Cost;
      if (Gain > BestGain) {
        BestGain = Gain;
        Best = E;
      }
    }
    return Best;
  }

  /// A later edit may do what an earlier one did; the dearest go first.
  void dropRedundant(std::size_t Left) {
    std::vector<PlannedEdit> ByCost = Result.Edits;
    std::stable_sort(ByCost.begin(), ByCost.end(), [](auto &A, auto &B) { return A.Cost > B.Cost; });
    for (const PlannedEdit &E : ByCost) {
      std::vector<PlannedEdit> Without = Result.Edits;
      std::erase_if(Without, [&](const PlannedEdit &X) { return sameEdit(P, X, E); });
      if (openAfter(Without).size() <= Left)
        Result.Edits = std::move(Without);
    }
  }

  const Program &P;
  const Model M;
  const std::vector<PlannedEdit> &Excluded;
  Plan Result;
};

} // namespace

double Plan::cost() const {
  double Sum = 0;
  for (const PlannedEdit &E : Edits)
    Sum += E.Cost;
  return Sum;
}

std::vector<Violation> toRepair(const Program &P, const Verdict &V) {
  std::vector<Violation> All = V.LocalRaces;
  All.insert(All.end(), V.AtomicityBreaks.begin(), V.AtomicityBreaks.end());
  if (!V.Fenced && !V.TreeFenced)
    All.insert(All.end(), V.OpenCycles.begin(), V.OpenCycles.end());
  std::erase_if(All, [&](const Violation &X) { return restsOnGuess(P, X); });
  return All;
}

Plan plan(const Program &P, Model M, const std::vector<PlannedEdit> &Excluded) {
  return Planner(P, M, Excluded).run();
}

std::string describe(const Program &P, const PlannedEdit &E) {
  const std::string Pair = E.Why.First.Pair == None ? "" : P.QueuePairs[E.Why.First.Pair].Name;
  switch (E.What) {
  case Remedy::RemoteFence:
    return "IBV_SEND_FENCE on the later request";
  case Remedy::MemoryFence:
    return "a memory fence";
  case Remedy::Poll:
    return "wait for the requests of '" + Pair + "'";
  case Remedy::PolledGet:
    return "a polled READ on '" + Pair + "'";
  case Remedy::Impossible:
    break;
  }
  return "nothing";
}

} // namespace rdma

// Implicit hitting sets: the required pairs are computed once, as insertions only remove some. In each round
// the cheapest choice that satisfies all clauses known so far is tried; a pair that it leaves open gives a
// clause. What satisfies fewer clauses than there are costs no more than the best choice does, so every round
// gives a lower bound, and the choice that leaves nothing open is proven cheapest (Davies and Bacchus, CP
// 2011).
#include "rewriter/plan/Plan.h"

#include "analyzer/core/Reasons.h"
#include "rewriter/plan/Hidden.h"
#include "rewriter/plan/OptionalGraph.h"
#include "rewriter/plan/Together.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

namespace rdma {
namespace {

using Stand = PlannedEdit::Stand;

class Planner {
public:
  Planner(const Program &P, Model M, const PlanOptions &O) : P(P), M(M), O(O) {}

  Plan run() {
    Plan Result;
    Result.Naive = naiveCost(P, M, O.Prices);
    Result.Result = O.Known ? *O.Known : judge(P, M);
    std::vector<Violation> Found = toRepair(P, Result.Result, O);
    Found.insert(Found.end(), O.Also.begin(), O.Also.end());
    for (const Violation &V : Found)
      if (V.Broken != Rule::Atomics)
        Required.push_back(V);
    Choices = candidates(P, Required, O);
    Result.Candidates = Choices.size();
    if (!Choices.empty())
      choose(Result);
    Result.Left = Found;
    if (!Result.Edits.empty()) {
      Program Edited = applied(P, Result.Edits);
      Result.Result = judge(Edited, M);
      Result.Left = toRepair(Edited, Result.Result, O);
    }
    return Result;
  }

private:
  using Clock = std::chrono::steady_clock;

  static double secondsSince(Clock::time_point Begin) {
    return std::chrono::duration<double>(Clock::now() - Begin).count();
  }
  double secondsLeft() const { return O.TimeLimit - secondsSince(Begin); }

  /// Among equals, what stands before the later operation; then behind the earlier one, rather where its
  /// caller can see it. The sum of all these differences is below what a choice could be cheaper by.
  double price(const PlannedEdit &E) const {
    constexpr double Smallest = 1e-6;
    bool AtLater = E.At == E.Why.Second.Statement;
    double Inside = PlannedEdit::isBehind(E.How) ? 1.0 / (1 + E.Level) : 0;
    if (E.How == Stand::On)
      Inside = 1 - 1.0 / (1 + E.Level) + (E.OnAll ? 2 : 0);
    if (E.Leaves) // rather the more; before the buffer is filled, where that needs it
      Inside = 1.0 / (1 + E.Leaves) + Inside;
    return E.Cost * (1 + Smallest * (AtLater && E.Level == 0 && !E.Leaves && !E.OnAll ? 0 : 1 + Inside));
  }

  void choose(Plan &Result) {
    OptionalGraph Graph(P, Choices, M, Required);
    std::vector<double> Alone;
    for (const PlannedEdit &E : Choices)
      Alone.push_back(price(E));
    Costs = pricesOf(Choices, Alone);
    const Hidden Hides(P, Choices, M, Required);
    // What everything together leaves open, no choice orders.
    std::vector<unsigned> All(Required.size());
    std::iota(All.begin(), All.end(), 0);
    Graph.chooseAll();
    const std::vector<unsigned> Fixable = without(All, Graph.open(All));
    const std::vector<unsigned> Certain = without(Fixable, Hides.pairs());
    HittingSet Best;
    for (;; ++Result.Rounds) {
      Graph.choose(Best.Chosen);
      if (std::vector<unsigned> Open = Graph.open(Certain); !Open.empty())
        addClauses(Graph, std::move(Open), secondsLeft());
      else if (unsigned Seen = Hides.seen(Graph.open(Hides.pairs()), Best.Chosen); Seen != None)
        Clauses.insert(
            Hides.clause(Seen, Best.Chosen, Graph.clause(Seen), [this] { return secondsLeft() < 0; }));
      else
        break;
      if (secondsLeft() < 0) {
        complete(Graph, Best, Fixable);
        break;
      }
      Best = hit();
    }
    Result.LowerBound = Best.LowerBound;
    for (unsigned C : Best.Chosen)
      Result.Edits.push_back(Choices[C]);
    if (O.Greedy)
      Result.LowerBound = 0;
    else if (std::abs(Result.LowerBound - Result.cost()) < 1e-4 * (1 + Result.cost()))
      Result.LowerBound = Result.cost();
  }

  static std::vector<unsigned> without(const std::vector<unsigned> &Some,
                                       const std::vector<unsigned> &Those) {
    std::vector<unsigned> Left;
    std::set_difference(Some.begin(), Some.end(), Those.begin(), Those.end(), std::back_inserter(Left));
    return Left;
  }

  /// Pairs that share candidates are often ordered by the same choice: one of them is enough for a round.
  /// Short ones have few candidates, so that more of them share none. At least one clause, whatever the time.
  void addClauses(OptionalGraph &Graph, std::vector<unsigned> Open, double Seconds) {
    const Clock::time_point Start = Clock::now();
    std::vector<bool> Touched(Choices.size());
    Graph.sortByDistance(Open);
    for (unsigned R : Open) {
      if (Graph.leadsFrom(Touched, R))
        continue;
      Clause C = Graph.clause(R);
      for (unsigned X : C)
        Touched[X] = true;
      Clauses.insert(std::move(C));
      if (secondsSince(Start) > Seconds)
        return;
    }
  }

  HittingSet hit() const {
    std::vector<Clause> List(Clauses.begin(), Clauses.end());
    return O.Greedy ? greedyHittingSet(List, Costs) : cheapestHittingSet(List, Costs, secondsLeft());
  }

  /// Out of time: greedily from here, the bound as it was.
  void complete(OptionalGraph &Graph, HittingSet &Best, const std::vector<unsigned> &Fixable) {
    for (std::vector<unsigned> Open = Graph.open(Fixable); !Open.empty(); Open = Graph.open(Fixable)) {
      addClauses(Graph, Open, 1);
      std::vector<Clause> List(Clauses.begin(), Clauses.end());
      Best.Chosen = greedyHittingSet(List, Costs).Chosen;
      Graph.choose(Best.Chosen);
    }
  }

  const Program &P;
  const Model M;
  const PlanOptions &O;
  const Clock::time_point Begin = Clock::now();
  std::vector<Violation> Required;
  std::vector<PlannedEdit> Choices;
  Prices Costs;
  std::set<Clause> Clauses;
};

} // namespace

double Plan::cost() const {
  std::vector<double> Each = costsOf(Edits);
  return std::accumulate(Each.begin(), Each.end(), 0.0);
}

std::vector<Violation> toRepair(const Program &P, const Verdict &V, const PlanOptions &O) {
  std::vector<Violation> All = V.LocalRaces;
  All.insert(All.end(), V.AtomicityBreaks.begin(), V.AtomicityBreaks.end());
  if (O.Until == Goal::Fenced)
    All.insert(All.end(), V.UnfencedPairs.begin(), V.UnfencedPairs.end());
  else if (O.Until == Goal::TreeFenced)
    All.insert(All.end(), V.UntreedPlaces.begin(), V.UntreedPlaces.end());
  else if (!V.Fenced && !V.TreeFenced)
    All.insert(All.end(), V.OpenCycles.begin(), V.OpenCycles.end());
  std::erase_if(All, [&](const Violation &X) {
    return (!O.Unproved && (restsOnGuess(P, X) || X.RestsOn != None)) || !O.Wanted(X);
  });
  return All;
}

Plan plan(const Program &P, Model M, const PlanOptions &O) { return Planner(P, M, O).run(); }

std::string describe(const Program &P, const PlannedEdit &E, bool Joins) {
  const std::string Pair = E.Why.First.Pair == None ? "" : P.QueuePairs[E.Why.First.Pair].Name;
  switch (E.What) {
  case Remedy::RemoteFence:
    return E.OnAll ? "IBV_SEND_FENCE on each later request of the list"
                   : "IBV_SEND_FENCE on the later request";
  case Remedy::MemoryFence:
    return "a memory fence";
  case Remedy::Poll:
    return !E.Inlined.empty() ? "IBV_SEND_INLINE on the request"
           : E.OwnPolls == 1  ? "the poll behind it moved up"
           : E.OwnPolls
               ? "the " + std::to_string(E.OwnPolls) + " polls behind it moved up"
               : "wait for the requests of '" + Pair + "'" +
                     (E.Leaves ? " but those of the last " + std::to_string(E.Leaves) + " rounds" : "") +
                     (Joins ? " in the same call" : "");
  case Remedy::PolledGet:
    return "a polled READ on '" + Pair + "'" + (Joins ? " in the same call" : "");
  case Remedy::Impossible:
    break;
  }
  return "nothing";
}

} // namespace rdma

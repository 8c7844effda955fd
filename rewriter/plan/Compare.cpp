#include "rewriter/plan/Plan.h"

#include <algorithm>

namespace rdma {
namespace {

/// Of the pairs that keep a program from being tree-fenced the verdict names one of each thread: those of the
/// planned program are required too, until there are none.
std::optional<double> costUntil(const Program &P, Model M, PlanOptions O) {
  constexpr unsigned MaxRounds = 200;
  for (unsigned Round = 0; Round < MaxRounds; ++Round) {
    Plan Planned = plan(P, M, O);
    if (Planned.Left.empty())
      return Planned.cost();
    for (const Violation &V : Planned.Left) {
      auto Same = [&](const Violation &X) { return X.First == V.First && X.Second == V.Second; };
      auto IsNew = [&](const EventRef &E) { return E.Statement >= P.Threads[E.Thread].Statements.size(); };
      if (V.First == V.Second || IsNew(V.First) || IsNew(V.Second) ||
          std::any_of(O.Also.begin(), O.Also.end(), Same))
        return std::nullopt;
      O.Also.push_back(V);
    }
  }
  return std::nullopt;
}

} // namespace

Comparison comparePlans(const Program &P, Model M, PlanOptions O) {
  Comparison All;
  O.Junctions = true;
  O.Editable = [](auto &) { return true; };
  O.Known = nullptr;
  All.Naive = naiveCost(P, M, O.Prices);
  for (auto [Until, Cost] : {std::pair(Goal::Robust, &All.Robust), std::pair(Goal::Fenced, &All.Fenced),
                             std::pair(Goal::TreeFenced, &All.TreeFenced)}) {
    O.Until = Until;
    *Cost = costUntil(P, M, O);
  }
  return All;
}

} // namespace rdma

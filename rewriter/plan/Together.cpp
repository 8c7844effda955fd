#include "rewriter/plan/Together.h"

#include <cmath>
#include <map>
#include <tuple>

namespace rdma {

/// What the call costs, whichever of them is in it.
static double sharedCost(const PlannedEdit &E) { return E.Cost - E.Beside; }

std::vector<std::vector<unsigned>> together(const std::vector<PlannedEdit> &Edits) {
  std::map<std::tuple<Remedy, std::string, long long>, std::vector<unsigned>> Calls;
  for (unsigned I = 0; I < Edits.size(); ++I) {
    const PlannedEdit &E = Edits[I];
    if (!E.Stands.empty() && E.OwnPolls == 0 && E.Inlined.empty() && sharedCost(E) > 0)
      Calls[{E.What, E.Stands, std::llround(sharedCost(E) * 1e6)}].push_back(I);
  }
  std::vector<std::vector<unsigned>> Found;
  for (auto &[Key, Of] : Calls)
    if (Of.size() > 1)
      Found.push_back(std::move(Of));
  return Found;
}

std::vector<double> costsOf(const std::vector<PlannedEdit> &Edits) {
  std::vector<double> Costs;
  for (const PlannedEdit &E : Edits)
    Costs.push_back(E.Cost);
  for (const std::vector<unsigned> &Call : together(Edits))
    for (unsigned I : Call)
      if (I != Call.front())
        Costs[I] = Edits[I].Beside;
  return Costs;
}

Prices pricesOf(const std::vector<PlannedEdit> &Candidates, const std::vector<double> &Alone) {
  Prices Found{Alone, {}};
  for (const std::vector<unsigned> &Call : together(Candidates)) {
    double Shared = sharedCost(Candidates[Call.front()]);
    Found.Shared.push_back({Shared, Call});
    for (unsigned I : Call)
      Found.Each[I] -= Shared;
  }
  return Found;
}

} // namespace rdma

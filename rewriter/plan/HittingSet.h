// The cheapest choice that takes something from every clause.
#pragma once

#include <vector>

namespace rdma {

/// Indices into the costs, ascending; at least one of them has to be chosen.
using Clause = std::vector<unsigned>;

/// What elements cost.
struct Prices {
  /// Paid once when any of these is chosen.
  struct Common {
    double Cost;
    std::vector<unsigned> Of;
  };
  std::vector<double> Each;
  std::vector<Common> Shared = {}; ///< no element is in two of them
};

struct HittingSet {
  std::vector<unsigned> Chosen;
  /// No hitting set costs less; equal to the cost of Chosen when the solver got to the end.
  double LowerBound = 0;
};

/// Exact, by COIN-OR CBC, each connected component of the clauses on its own. No clause is empty.
HittingSet cheapestHittingSet(const std::vector<Clause> &Clauses, const Prices &Costs, double Seconds);

/// Greedy: what costs least for each clause that it hits. The bound is 0.
HittingSet greedyHittingSet(const std::vector<Clause> &Clauses, const Prices &Costs);

} // namespace rdma

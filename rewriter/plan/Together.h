// Waits for several queue pairs that stand at one place are one call: together they take as long as one.
#pragma once

#include "rewriter/plan/HittingSet.h"
#include "rewriter/plan/Plan.h"

#include <vector>

namespace rdma {

/// Indices of edits that are one call, two or more each.
std::vector<std::vector<unsigned>> together(const std::vector<PlannedEdit> &Edits);

/// What each of the edits costs beside the others: of those of one call all but the first cost less.
std::vector<double> costsOf(const std::vector<PlannedEdit> &Edits);

/// What candidates cost of which any may be chosen, by what each of them costs alone.
Prices pricesOf(const std::vector<PlannedEdit> &Candidates, const std::vector<double> &Alone);

} // namespace rdma

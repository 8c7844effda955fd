// What would make an inserted wait needless and cannot be inserted: it changes what the program posts.
#pragma once

#include "rewriter/plan/Plan.h"

namespace rdma {

/// For one of the edits, beside which the others are made: a request that may be on the queue pair of what it
/// has to follow, one that takes its bytes along, or one that has a buffer of its own. The first that the
/// conditions bear out for all pairs that this edit is there for. Empty where none does.
std::string insteadOf(const Program &P, Model M, const PlanOptions &O, const std::vector<PlannedEdit> &Edits,
                      std::size_t Edit);

/// Which requests of its thread need not be waited for by the edit, a wait, when they take their bytes along.
/// Empty where that would not do.
std::vector<StatementId> inlinedInsteadOf(const Program &P, Model M, const PlanOptions &O,
                                          const std::vector<PlannedEdit> &Edits, std::size_t Edit);

} // namespace rdma

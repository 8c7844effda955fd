// Which remedy goes where: the cheapest that orders each pair, until nothing is left that a remedy can order.
#pragma once

#include "analyzer/core/Remedy.h"
#include "analyzer/core/Verdict.h"

#include <string>
#include <vector>

namespace rdma {

/// One remedy before one statement. Replicas of a thread share their source, so an edit stands for every
/// statement of the same site.
struct PlannedEdit {
  Remedy What;
  Violation Why;   ///< of the program as it was; the edit stands before Why.Second's statement
  double Cost = 0; ///< of the remedy, times ten for each loop around the statement
};

struct Plan {
  std::vector<PlannedEdit> Edits;
  /// What no remedy orders, as the planned program still shows it.
  std::vector<Violation> Left;
  double cost() const;
};

/// The violations that call for a remedy: local races, atomicity breaks, and open cycles unless the program
/// is fenced; none that rests on a guess.
std::vector<Violation> toRepair(const Program &P, const Verdict &V);

/// Greedy by pairs ordered per cost, then without what turned out redundant. Excluded: edits of P that
/// could not be made in the source, or did not help there; planned around.
Plan plan(const Program &P, Model M, const std::vector<PlannedEdit> &Excluded = {});

/// The program with the edits in place. Statement numbers of P stay what they were.
Program applied(const Program &P, const std::vector<PlannedEdit> &Edits);

std::string describe(const Program &P, const PlannedEdit &Edit);

} // namespace rdma

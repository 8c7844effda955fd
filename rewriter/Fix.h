// Plan, edit, analyse again: a whole fix in memory.
#pragma once

#include "analyzer/select/Selection.h"
#include "analyzer/tools/Options.h"
#include "analyzer/tools/Report.h"
#include "rewriter/Files.h"
#include "rewriter/plan/Plan.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace rdma {

struct MadeEdit {
  Place Where; ///< of the later operation, in the source as it was when the edit was made
  std::string What;
  double Cost = 0;
  std::string Instead; ///< what would make it needless, where something would
};

struct Fix {
  Program Code;                 ///< as it was
  std::vector<Violation> Found; ///< what called for a remedy, in Code
  std::vector<MadeEdit> Made;   ///< in the order they were made
  FileContents Before, After;   ///< only files that change
  std::size_t Findings = 0;     ///< that a user was shown before
  /// Why edits could not be made in the source, and which.
  std::map<std::string, std::set<std::string>> Reasons;
  /// Those since the last edit was made, which are for what is left: by "from a.c:3 to a.c:5", which is empty
  /// where it is not of one pair, and why.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> Refused;
  Report Was; ///< the program as it was
  Report Now; ///< of the edited program, analysed anew
  /// Of the first plan, from which the edits come unless the source refused some.
  double PlannedCost = 0, LowerBound = 0, Naive = 0;
  bool Spared = false; ///< the dearest edit of a plan, as the edited source is in order without it
  void note(const Plan &P);
  void refuse(const std::string &Why, const PlannedEdit &E);
  void refuse(const std::string &Why); ///< all that could still be tried
};

/// Repairs what is shown. Throws what readInputs and select throw. An edit that would not compile, or orders
/// nothing, is not made.
Fix fix(const Options &O, const PlanOptions &Planning, const Selection &Shown);

/// Without filters and a baseline.
Fix fix(const Options &O, const PlanOptions &Planning = {});

} // namespace rdma

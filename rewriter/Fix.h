// Plan, edit, analyse again: a whole fix in memory.
#pragma once

#include "analyzer/tools/Options.h"
#include "analyzer/tools/Report.h"
#include "rewriter/Files.h"
#include "rewriter/plan/Plan.h"

#include <set>

namespace rdma {

struct MadeEdit {
  Place Where; ///< of the later operation, in the source as it was when the edit was made
  std::string What;
  double Cost = 0;
};

struct Fix {
  Program Code;                  ///< as it was
  std::vector<Violation> Found;  ///< what called for a remedy, in Code
  std::vector<MadeEdit> Made;    ///< in the order they were made
  FileContents Before, After;    ///< only files that change
  std::set<std::string> Reasons; ///< why an edit could not be made in the source
  Report Now;                    ///< of the edited program, analysed anew
  /// Of the first plan, from which the edits come unless the source refused some.
  double PlannedCost = 0, LowerBound = 0, Naive = 0;
  void note(const Plan &P);
};

/// Throws what readInputs throws. An edit that would not compile, or orders nothing, is not made.
Fix fix(const Options &O, const PlanOptions &Planning = {});

} // namespace rdma

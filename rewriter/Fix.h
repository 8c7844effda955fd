// Plan, edit, analyse again: a whole fix in memory.
#pragma once

#include "analyzer/tools/Options.h"
#include "rewriter/Files.h"
#include "rewriter/Plan.h"

namespace rdma {

struct Fix {
  Program Code;                     ///< as it was
  std::vector<Violation> Found;     ///< what called for a remedy, in Code
  std::vector<PlannedEdit> Edits;   ///< of the first round, which speak of Code
  FileContents Before, After;       ///< only files that change
  std::vector<std::string> Reasons; ///< why an edit could not be made in the source
  Program Fixed;                    ///< the edited program, analysed anew
  Verdict Result;                   ///< its verdict
};

/// Throws what readInputs throws; also when an edited source no longer compiles, which would be a defect of
/// the editor.
Fix fix(const Options &O);

} // namespace rdma

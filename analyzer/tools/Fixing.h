// --fix and --fix-errors: what rdma-fix does, asked of rdma-tidy as one asks clang-tidy.
#pragma once

#include "analyzer/tools/Options.h"
#include "analyzer/tools/Units.h"

#include <nlohmann/json.hpp>

namespace rdma {

/// Runs the rdma-fix that lies beside this tool in place, for every unit, with the same inputs. Its status: 0
/// when nothing is left, 1 when something is, 2 for bad input. Throws UsageError when it cannot be started.
int fixInPlace(const Options &O, const std::vector<Unit> &Units);

/// The same edits for clang-apply-replacements, to File; nothing is changed.
void exportFixes(const Options &O, const Unit &U, const std::string &File);

/// The SARIF with the edits as fixes of the results that they repair; nothing is changed.
nlohmann::json withFixes(nlohmann::json Sarif, const Options &O, const Unit &U);

} // namespace rdma

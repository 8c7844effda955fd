// --fix and --fix-errors: what rdma-fix does, asked of rdma-tidy as one asks clang-tidy.
#pragma once

#include "analyzer/config/Config.h"
#include "analyzer/tools/Options.h"
#include "analyzer/tools/Units.h"

#include <nlohmann/json.hpp>

namespace rdma {

/// What rdma-fix is asked with: all that says what is analysed, and what of it is shown.
struct FixRequest {
  const Options &Inputs;
  Config InForce; ///< all that the configuration and the command line say, as --dump-config writes it
  std::string LineFilter;
};

/// Runs the rdma-fix that lies beside this tool in place, for every unit, with the same inputs. Its status: 0
/// when nothing is left, 1 when something is, 2 for bad input. Throws UsageError when it cannot be started.
int fixInPlace(const FixRequest &R, const std::vector<Unit> &Units);

/// The same edits for clang-apply-replacements, to File; nothing is changed. False when that was not
/// possible, for the reason that was told.
bool exportFixes(const FixRequest &R, const Unit &U, const std::string &File);

/// Adds the edits to the SARIF as fixes of the results that they repair; nothing is changed. False as above.
bool addFixes(nlohmann::json &Sarif, const FixRequest &R, const Unit &U);

} // namespace rdma

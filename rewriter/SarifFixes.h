// The findings as SARIF, each that the edits repair with the edits.
#pragma once

#include "rewriter/Fix.h"

#include <nlohmann/json.hpp>

namespace rdma {

/// SARIF 2.1.0 of the program as it was. One plan repairs the whole program, so every finding that is gone
/// behind it has all of its replacements as its fix: whoever applies it once has applied it for all.
nlohmann::json sarifWithFixes(const Fix &F);

} // namespace rdma

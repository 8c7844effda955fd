// Places as SARIF wants them: URIs that are relative where they can be and percent-encoded, and regions that
// end where the word under the caret ends.
#pragma once

#include "analyzer/report/SourceLines.h"

#include <nlohmann/json.hpp>

namespace rdma {

/// A relative or file URI; "" for a place without a file.
std::string uriOf(const std::string &File);

/// {"artifactLocation": …, "region": …}, columns in code points.
nlohmann::json physicalLocation(const Place &At, SourceLines &Sources);

} // namespace rdma

// Known findings: a SARIF file whose fingerprints hide what was there before.
#pragma once

#include "analyzer/report/Finding.h"

#include <map>

namespace rdma {

/// Fingerprints, and how many findings bear each.
using Baseline = std::map<std::string, unsigned>;

/// Throws SelectionError for a file that cannot be read or is no SARIF with fingerprints of ours.
Baseline readBaseline(const std::string &File);

} // namespace rdma

// Known findings: a SARIF file whose fingerprints hide what was there before.
#pragma once

#include "analyzer/report/Finding.h"

#include <cstdint>
#include <map>

namespace rdma {

/// What was accepted under one fingerprint: how many findings, and how many unproved pairs hang on them.
struct Accepted {
  unsigned Findings = 0;
  std::uint64_t Pairs = 0;
};

using Baseline = std::map<std::string, Accepted>; ///< by fingerprint

/// Throws SelectionError for a file that cannot be read or is no SARIF with fingerprints of ours.
Baseline readBaseline(const std::string &File);

} // namespace rdma

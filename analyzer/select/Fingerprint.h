// What a finding is known by when lines have moved.
#pragma once

#include "analyzer/report/Finding.h"
#include "analyzer/report/SourceLines.h"

namespace rdma {

/// Sixteen hexadecimal digits over the check, the words, the functions and the two lines of source, without
/// line numbers and spaces. Files may be renamed, and what stands in them moved to others.
std::string fingerprint(const Finding &F, SourceLines &Sources);

} // namespace rdma

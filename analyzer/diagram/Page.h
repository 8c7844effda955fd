// --format=html: one page that needs nothing else: the findings with their source, why no order explains
// them, and the execution that shows them, step by step.
#pragma once

#include "analyzer/diagram/Svg.h"
#include "analyzer/report/Finding.h"

#include <map>

namespace rdma {

/// What is drawn of a finding.
struct Drawing {
  CycleDrawing Cycle;
  Timeline Run; ///< no steps: no execution was found
};

/// Drawings by index into Findings; those that are hidden are not on the page. Verdict is the honest line.
std::string asHtml(const std::vector<Finding> &Findings, const std::map<std::size_t, Drawing> &Drawings,
                   const std::string &Verdict);

} // namespace rdma

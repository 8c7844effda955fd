// Which findings are shown: checks, filters, NOLINT and the baseline. Works on findings after the analysis,
// so a verdict never changes by it.
#pragma once

#include "analyzer/select/Baseline.h"
#include "analyzer/select/Filters.h"

#include <functional>

namespace rdma {

struct Selection {
  std::string Checks, WarningsAsErrors;
  Filters Places;
  std::optional<Baseline> Known = {};
  /// With --write-baseline: everything that is left becomes known.
  bool AllKnown = false;
  /// Where a place stood before the sources were edited, when findings are of edited ones: that is where they
  /// are judged, as their files still are.
  std::function<Place(const Place &)> Before = {};
};

/// Marks each finding as shown or hidden and gives it its fingerprint; what NOLINT comments hide nothing
/// becomes a finding of rdma-unused-nolint. Throws SelectionError for a NOLINTBEGIN without end.
void select(std::vector<Finding> &Findings, const Selection &S, const std::vector<std::string> &Files);

/// Findings that are shown, in their order.
std::vector<Finding> shown(const std::vector<Finding> &Findings);

} // namespace rdma

// The analysis of several programs side by side, and what came of them as one.
#pragma once

#include "analyzer/core/Verdict.h"
#include "analyzer/report/Finding.h"
#include "analyzer/tools/Units.h"

#include <functional>
#include <optional>

namespace rdma {

/// A unit that was read and decided, or could not be.
struct SurveyedUnit {
  Unit Of;
  std::optional<Program> Code; ///< absent: it failed
  std::string Failure;
};

struct Survey {
  std::vector<SurveyedUnit> Units;
  std::vector<Finding> Findings; ///< of all units, each once
  std::vector<unsigned> UnitOf;  ///< by finding
  Verdict Decided; ///< conditions that hold for every unit; the lists are those of the first unit
  Summary Sum;
};

/// Called before a unit, with how many were begun.
using OnProgress = std::function<void(unsigned Begun, const Unit &)>;

/// Threads many units at a time. Fails with what the only unit failed with; of several units it notes which
/// ones failed.
Survey survey(const Options &O, const std::vector<Unit> &Units, unsigned Threads, const OnProgress &Progress);

} // namespace rdma

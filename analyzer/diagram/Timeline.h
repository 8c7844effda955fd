// A weak execution laid out for drawing: a column for each node, in it lanes for CPUs, store buffers, NICs
// and memory, a row for each step.
#pragma once

#include "analyzer/explorer/Witness.h"

namespace rdma {

struct TimelineLane {
  std::string Title;
};

struct TimelineNode {
  std::string Name;
  unsigned FirstLane = 0, Lanes = 0;
};

struct TimelineStep {
  std::string Text;
  Place At;               ///< line 0: nobody's source
  unsigned Lane = 0;      ///< whose doing it was
  unsigned Memory = None; ///< the lane of the memory that it read or wrote
  bool Writes = false;
  std::string Value;     ///< "x = 1"
  unsigned Since = None; ///< the step that set it off
  bool Shows = false;    ///< without it the execution would show nothing
};

struct Timeline {
  std::vector<TimelineNode> Nodes;
  std::vector<TimelineLane> Lanes;
  std::vector<TimelineStep> Steps;
};

Timeline timeline(const Program &P, const explorer::Witness &W);

} // namespace rdma

// A critical cycle laid out for drawing: a column for each thread, its operations in program order.
#pragma once

#include "analyzer/core/Violation.h"
#include "analyzer/explorer/Witness.h"

namespace rdma {

struct CycleNode {
  std::string Thread, Text;
  Place At;
  unsigned Order = 0; ///< within the thread
};

struct CycleEdge {
  std::string Text;
  bool Broken = false; ///< the order that does not hold
};

/// Edge I leads from node I to the next one, the last to the first.
struct CycleDrawing {
  std::vector<CycleNode> Nodes;
  std::vector<CycleEdge> Edges;
};

/// The cycle of an execution: empty when a remote atomic was torn apart instead.
CycleDrawing cycleOf(const Program &P, const explorer::Witness &W);
/// The cycle that the analysis could not exclude.
CycleDrawing cycleOf(const Program &P, const Violation &V);

} // namespace rdma

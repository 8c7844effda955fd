// A run that is not sequentially consistent, with as few steps as possible that had a choice.
#pragma once

#include "analyzer/explorer/Explore.h"
#include "analyzer/explorer/Recording.h"

#include <memory>

namespace rdma::explorer {

struct WitnessStep {
  Site Where; ///< the statement
  ThreadIndex Thread;
  std::string What; ///< in words: "the NIC reads x = 1 for the put"
};

struct Witness {
  std::vector<WitnessStep> Steps;
  std::shared_ptr<const CompiledProgram> Compiled;
  std::shared_ptr<const Recording> Run;
  std::vector<CycleStep> Cycle; ///< empty: no cycle, but a remote atomic was torn apart (Run->Torn)
  Outcome Final;
};

/// Nothing when the program is robust, when the time is over, or for a run of more than 255 events.
std::optional<Witness> findWitness(const Program &P, Model M, const Limits &L = {});

} // namespace rdma::explorer

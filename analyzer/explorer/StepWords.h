// The steps of the machine in words.
#pragma once

#include "analyzer/explorer/Witness.h"

namespace rdma::explorer {

/// What a step did; nothing for steps that only move entries between queues and have no effect of their own.
std::optional<WitnessStep> inWords(const Machine &M, const State &Before, const State &After,
                                   const Transition &T);

} // namespace rdma::explorer

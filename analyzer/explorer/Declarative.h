// The declarative model as a second engine, independent of the machine: every consistent execution of a small
// program, by choosing rf, mo, nfo and rao (ROBUST Def. 4 and 10, SYNC Def. 20).
//
// Meant to check the first engine on programs of a few dozen events; time grows with the product of all
// choices.
#pragma once

#include "analyzer/explorer/Explore.h"

namespace rdma::explorer {

/// Final values over all consistent executions; States counts the choices looked at. Loops run at most
/// Limits::Unroll times. M is RdmaSc or RdmaTso. Throws Unsupported also for more than 64 events.
Exploration enumerateOutcomes(const Program &P, Model M, const Limits &L = {});

/// ROBUST Def. 5 and 11, with the atomicity of remote atomics added.
Robustness enumerateRobust(const Program &P, Model M, const Limits &L = {});

} // namespace rdma::explorer

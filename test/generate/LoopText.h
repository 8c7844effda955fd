// A program of loops written down as C or C++ with a topology.
#pragma once

#include "LoopTrace.h"
#include "Sources.h"

namespace rdma::test {

/// What the style decides of its runs.
LoopForm formOf(const Style &S);

Sources writeLoops(const LoopProgram &P, const Style &S, std::uint64_t Seed);

} // namespace rdma::test

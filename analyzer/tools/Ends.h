// Programs of a compile database that are the two ends of a system, where no topology says so.
#pragma once

#include "analyzer/tools/Units.h"

namespace rdma {

/// Two programs become one unit where they show each other as the other end of their queue pairs, and show no
/// third one so. Not those that have a topology, and none where no topology may be assumed. Compiles Threads
/// of them at a time.
std::vector<Unit> joinEnds(const Options &O, std::vector<Unit> Units, unsigned Threads);

} // namespace rdma

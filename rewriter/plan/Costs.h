// What each remedy costs.
#pragma once

#include "analyzer/core/Remedy.h"

#include <string>

namespace rdma {

/// Outside every loop; each loop around the place makes it ten times as much.
struct Costs {
  double RemoteFence = 1, MemoryFence = 2, WaitAllBut = 4, Wait = 10, Flush = 20;
  double Further = 1; ///< each queue pair but the first, of those that one call waits for
  double of(Remedy R) const;
};

/// Reads `{"remote-fence": 1, "memory-fence": 2, "wait-all-but": 4, "wait": 10, "flush": 20,
/// "further-pair": 1}`; what is not named keeps its cost. Throws InputError.
Costs readCosts(const std::string &File);

} // namespace rdma

// An event graph as basic blocks: runs of events with one way in and one way out.
#pragma once

#include "analyzer/core/EventGraph.h"

namespace rdma {

using BlockId = unsigned;

struct Block {
  std::vector<EventId> Events; ///< without joins, in program order
  std::vector<BlockId> Successors;
  bool InCycle = false;
  unsigned LoopDepth = 0;
};

/// In reverse postorder, the entry first and the rest of a loop before what follows it, so that what changes
/// around a loop has settled before it flows on. Unreachable events are left out.
std::vector<Block> blocksOf(const EventGraph &G);

/// How many pairs of accesses to memory there are, the second after the first on some path. An access in a
/// loop comes after itself.
std::uint64_t pairsReached(const EventGraph &G, const std::vector<Block> &Blocks);

/// Per block, the nearest other block that every path to it passes and that no loop repeats; None for none.
std::vector<BlockId> basesOf(const std::vector<Block> &Blocks);

/// Per block, its strongly connected component; those that are reached later have smaller numbers.
std::vector<unsigned> componentsOf(const std::vector<Block> &Blocks);

} // namespace rdma

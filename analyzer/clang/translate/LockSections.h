// Sections under a lock: takes and gives of one value, so that the conditions see that they exclude each
// other.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"

#include <deque>

namespace rdma::clang_ir {

/// Of a lock that is held for certain where its calls say so, and is nothing else by another name, each call
/// becomes a compare-and-swap of a location of its own: from 0 to 1, and back. A lock that a thread tries
/// to take stays an atomic step on its memory.
void markSections(Inventory &Stock, std::deque<CountedThread> &Threads);

} // namespace rdma::clang_ir

// Someone on another node, where the open world says that anyone may look.
#pragma once

#include "analyzer/confirm/Slice.h"

namespace rdma {

/// Adds a thread on a node of its own that accesses the memory of the pair's later event and then that of the
/// earlier, in conflict with both, and waits for each access to have taken effect. Value: what it writes.
void addObserver(Slice &S, std::int64_t Value);

} // namespace rdma

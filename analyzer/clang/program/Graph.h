// The finished program: without what no NIC and no other thread can see, and without empty statements.
#pragma once

#include "analyzer/clang/program/Inventory.h"

#include <vector>

namespace rdma::clang_ir {

/// Memory that two threads of one node use.
void exposeShared(Inventory &Stock);

/// Takes away accesses to memory that only its own thread touches (an atomic one is still a fence), empty
/// statements where the paths stay the same, and objects that nothing names any more.
void prune(Inventory &Stock);

} // namespace rdma::clang_ir

// What a topology says of the memory of a process, and what it could name there.
#pragma once

#include "analyzer/clang/memory/PointsTo.h"
#include "analyzer/clang/program/Inventory.h"

#include <string>

namespace rdma::clang_ir {

/// What the topology says others reach on the node is theirs to change.
void addPeers(const Inventory &Stock, const std::string &Node, PointsTo &Memory);

/// What a topology may begin the paths of the entry with, which runs the function.
void seeVariables(const llvm::Function &F, const std::string &Entry, PathsInUse &Seen);

} // namespace rdma::clang_ir

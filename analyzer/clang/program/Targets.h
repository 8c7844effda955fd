// Targets of a compile database as the "sources" of a node.
#pragma once

#include "analyzer/clang/program/Topology.h"

namespace rdma::clang_ir {

using TargetSources = std::map<std::string, std::vector<std::string>>;

/// The name of a target, where no file is meant by it, becomes those of its sources that are among Files.
/// Throws InputError for a target that none of Files is of.
void replaceTargets(Topology &T, const TargetSources &Targets, const std::vector<std::string> &Files);

} // namespace rdma::clang_ir

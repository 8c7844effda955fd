// A topology for a program that has none: everything found, what is only assumed marked as such, and the rest
// as comments to be completed.
#pragma once

#include "analyzer/clang/program/Roles.h"
#include "analyzer/clang/program/Topology.h"
#include "analyzer/clang/translate/Exchanged.h"

#include <map>
#include <string>
#include <vector>

namespace rdma::clang_ir {

struct FoundProgram {
  std::vector<Role> Roles;
  bool HasMain = false;
  const PathsInUse *Paths;
  const std::map<std::string, Exchanged> *Members; ///< by entry
};

/// One node for each role, named after its function.
Topology nodesOf(const std::vector<Role> &Roles, bool HasMain);

/// JSON with comments, which readTopology takes as it is.
std::string writeTopology(const Topology &Nodes, const FoundProgram &Found);

} // namespace rdma::clang_ir

// A topology for a program that has none: everything found, what is only assumed marked as such, and the rest
// as comments to be completed.
#pragma once

#include "analyzer/clang/Extract.h"
#include "analyzer/clang/program/Roles.h"
#include "analyzer/clang/program/Topology.h"
#include "analyzer/clang/translate/Exchanged.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rdma::clang_ir {

struct FoundProgram {
  std::vector<Role> Roles;
  bool HasMain = false;
  std::vector<std::vector<std::string>> Sources; ///< of each program, if there are several
  std::optional<std::string> Folder;             ///< of the file that is written, if it is one
  const PathsInUse *Paths;
  const std::map<std::string, Exchanged> *Members; ///< by entry
};

/// One node for each role, named after its function; of several programs, after the source with the main.
/// Says of each role where it runs.
Topology nodesOf(FoundProgram &Found);

/// Do the sources, and not only their number, show two roles as the two ends of their queue pairs? Two
/// programs that are given together are taken to be.
bool showsEnds(const FoundProgram &Found);

/// JSON with comments, which readTopology takes as it is.
ProposedTopology writeTopology(const Topology &Nodes, const FoundProgram &Found);

} // namespace rdma::clang_ir

// The topology that annotations in the sources say (rdma/annotations.h).
#pragma once

#include "analyzer/clang/program/Topology.h"

#include <llvm/IR/Module.h>

#include <optional>

namespace rdma::clang_ir {

/// What is written in front of one function, in the order of the sources.
struct Annotation {
  llvm::Function *On;
  std::vector<std::string> Words; ///< "peer", "server.qp", "server"
  Place At;
};

/// Takes annotations of all kinds out of the module, so that nothing of the program mentions a function but
/// the program; returns ours, with their places spelled as in Files.
std::vector<Annotation> takeAnnotations(llvm::Module &M, const std::vector<std::string> &Files);

/// The same as a topology file; nothing where there are none. Sources: of each program, if there are several.
/// Throws InputError at the annotation for one that cannot be meant.
std::optional<Topology> topologyOf(const std::vector<Annotation> &All,
                                   const std::vector<std::vector<std::string>> &Sources);

} // namespace rdma::clang_ir

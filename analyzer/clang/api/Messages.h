// Messages of the system: which calls carry one depends on what they are given.
#pragma once

#include "analyzer/clang/api/ApiTable.h"

#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

/// Does this call of a row that Sends or Receives neither? It asks for something of the caller's own, as
/// fcntl(fd, F_SETFL, ...) does, or it is about standard input, output or errors: nobody who takes part reads
/// or writes their other ends.
bool tellsNothing(const llvm::CallBase &Call, const ApiRow &Row);

} // namespace rdma::clang_ir

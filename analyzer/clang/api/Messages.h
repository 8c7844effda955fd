// Messages of the system: which calls carry one depends on what they are given.
#pragma once

#include "analyzer/clang/api/ApiTable.h"

#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

/// Does this call of a row that Sends or Receives send? What opens a file to be read only looks for it.
bool sends(const llvm::CallBase &Call, const ApiRow &Row);

/// Does this call of a row that Sends or Receives neither? It asks for something of the caller's own, as
/// fcntl(fd, F_SETFL, ...) does, or it is about standard input, output or errors: nobody who takes part reads
/// or writes their other ends.
bool tellsNothing(const llvm::CallBase &Call, const ApiRow &Row);

/// The key of the block that stands for all memory of a process which is mapped to a file that is shared.
inline constexpr const char *MappedFile = "mapped file";

/// What stands for the receives of the other end is called so, of the thread that posts the SENDs.
inline constexpr const char *MessagesOf = "messages of ";

/// What the call does to the bytes of a file.
struct FileUse {
  bool Reads = false, Writes = false;
};
FileUse fileUse(const llvm::CallBase &Call, const ApiRow *Row);

} // namespace rdma::clang_ir

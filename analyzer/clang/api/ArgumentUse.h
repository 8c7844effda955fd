// What a call of the table does to the memory that its arguments lead to.
#pragma once

#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/memory/Origin.h"

#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

struct ArgumentUse {
  bool Reads = false, Writes = false;
  std::int64_t Size = Unbounded;
};

/// As the row says; an argument that it does not name is read and written as far as the type of the parameter
/// allows. Only a row that says Nothing, or that keeps addresses as such, leaves it alone.
ArgumentUse useOf(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

} // namespace rdma::clang_ir

// Functions that only code outside the sources can begin, though something in the sources names them.
#pragma once

#include "analyzer/clang/prepare/Pipeline.h"

#include <vector>

namespace rdma::clang_ir {

/// Of functions that only call each other, or themselves, one that other files can name: main, where it is
/// among them. Begun: what is known to be run.
std::vector<llvm::Function *> startsOfCycles(llvm::Module &M, const FunctionSet &Begun);

/// Functions whose address is in a table, is stored or returned, where the main of their program is not in
/// the sources: what nothing in sight calls by that, others do. One that is an argument of a call is left to
/// that call.
std::vector<llvm::Function *> handedOut(llvm::Module &M);

/// Is there a call by a pointer that leads to functions of its type?
bool mayBeCalledByPointer(const llvm::Function &F);

} // namespace rdma::clang_ir

// Functions that only code outside the sources can begin, though something in the sources names them.
#pragma once

#include "analyzer/clang/prepare/Pipeline.h"

#include <vector>

namespace rdma::clang_ir {

/// Of functions that only call each other, or themselves, one that other files can name: main, where it is
/// among them. Begun: what is known to be run.
std::vector<llvm::Function *> startsOfCycles(llvm::Module &M, const FunctionSet &Begun);

/// Functions that files which are left out may call, too, with anything, whatever the sources do with them:
/// those that are called here and that others can name, and those whose address others come by, where they
/// keep something from one call to the next. None of a whole program, with its main and all that it calls.
FunctionSet calledElsewhere(const llvm::Module &M);

/// Functions whose address is in a table, is stored or returned, where the main of their program is not in
/// the sources: what nothing in sight calls by that, others do. One that is an argument of a call is left to
/// that call.
std::vector<llvm::Function *> handedOut(llvm::Module &M);

/// Is it clear, of one of these, that nothing in sight calls it: for no call by a pointer leads to functions
/// of its type, or it stands in tables only, which nothing that is begun in sight names?
bool isLeftToOthers(const llvm::Function &F, const FunctionSet &Begun);

} // namespace rdma::clang_ir

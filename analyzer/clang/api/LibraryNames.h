// Names that a program shares with the C and C++ libraries: their variables, and functions of theirs that a
// program may replace by its own.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <vector>

namespace rdma::clang_ir {

/// A variable of the C library: calls of the library write it, and read what it leads to.
bool isLibraryVariable(const llvm::Value *V);

/// Finds variables by their names, or loads code that does.
bool asksByName(const llvm::Function &F);

/// Is nothing of the program left out of the sources, nor loaded later, that could name what is in them?
bool leavesNothingOut(const llvm::Module &M);

/// Are all variables of the program that are named in the sources defined there, too?
bool definesItsVariables(const llvm::Module &M);

/// Declared only, and defined by the linker: in front of and behind all variables of a section, or of the
/// program.
bool isMadeByLinker(const llvm::GlobalVariable &Global);
/// Of these, the bounds of one section.
bool boundsSection(const llvm::GlobalVariable &Global);

/// A function of the sources by a name that compilers take for that of the C library's.
bool isOwnOfLibrary(const llvm::GlobalValue &Value);

/// The functions of the sources that are called in the place of the library's, also where the sources call
/// others: the library calls those that allocate and give back, a compiler any (puts for printf).
std::vector<const llvm::Function *> replacedIn(const llvm::Module &M);

/// The functions of the sources that compilers, asked to, call from other functions.
std::vector<const llvm::Function *> hooksIn(const llvm::Module &M);

/// Does the function give a number that is never below zero: a length, a count, a time?
bool givesLength(llvm::StringRef Name);

} // namespace rdma::clang_ir

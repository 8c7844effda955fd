// Names of source files as the user wrote them.
#pragma once

#include "ir/Program.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace rdma::clang_ir {

/// The absolute path of a file, without `..`, as it is on the disk.
std::string realFile(llvm::StringRef Name);

/// The absolute name of a file of debug information; empty: no file.
std::string absoluteName(const llvm::DIFile *File);

/// One file, relative to the working directory where it lies below it.
std::string spellFile(const std::string &Name);

/// A function as the source names it: of local ones of several files, the linker numbers all but one.
std::string spellFunction(const llvm::Function &F);

/// 'a', 'b' and 3 more.
std::string listedNames(const std::vector<std::string> &Names);

/// Absolute names become those of Files where they are the same file, and relative to the working directory
/// where they lie below it.
void spellFiles(Program &P, const std::vector<std::string> &Files);

} // namespace rdma::clang_ir

// Clang in process: sources to one linked LLVM module.
#pragma once

#include "analyzer/clang/Extract.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>

namespace rdma::clang_ir {

/// The command line for one source: driver arguments without the compiler's name and the file.
std::vector<std::string> flagsFor(const std::string &File, const ExtractionOptions &Options);

/// Has the compile database commands of different meaning for the source, and Options does not say which?
bool compiledInSeveralWays(const std::string &File, const ExtractionOptions &Options);

/// What is on disk, and over it the contents that stand for files there.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(const ExtractionOptions &Options);

/// Has another tool parsed the file, and says so in the compiler's own words ("-cc1 ...")?
bool isParsed(const ExtractionOptions &Options);

/// These words; null when the compiler does not know one.
std::shared_ptr<clang::CompilerInvocation> parsedAlready(const ExtractionOptions &Options,
                                                         clang::DiagnosticsEngine &Engine);

/// One file compiled at -O1 with the optimiser's passes off and debug information on. Throws InputError for
/// the first error.
std::unique_ptr<llvm::Module> compileOne(const std::string &File, const ExtractionOptions &Options,
                                         llvm::LLVMContext &Context);

/// The sources of each program compiled and linked, the programs one beside the other (Programs.h).
std::unique_ptr<llvm::Module> compile(const std::vector<std::vector<std::string>> &Programs,
                                      const ExtractionOptions &Options, llvm::LLVMContext &Context);

} // namespace rdma::clang_ir

// Clang in process: sources to one linked LLVM module.
#pragma once

#include "analyzer/clang/Extract.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace rdma::clang_ir {

/// The command line for one source: driver arguments without the compiler's name and the file.
std::vector<std::string> flagsFor(const std::string &File, const ExtractionOptions &Options);

/// One file compiled at -O1 with the optimiser's passes off and debug information on. Throws InputError for
/// the first error.
std::unique_ptr<llvm::Module> compileOne(const std::string &File, const ExtractionOptions &Options,
                                         llvm::LLVMContext &Context);

/// The sources of each program compiled and linked, the programs one beside the other (Programs.h).
std::unique_ptr<llvm::Module> compile(const std::vector<std::vector<std::string>> &Programs,
                                      const ExtractionOptions &Options, llvm::LLVMContext &Context);

} // namespace rdma::clang_ir

// The topology that sources without one show.
#pragma once

#include "analyzer/clang/Extract.h"
#include "analyzer/clang/program/WriteTopology.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace rdma::clang_ir {

/// The sources before anything is inlined. Where several of them have a main, each program is what a linker
/// would make of it.
struct Sources {
  std::unique_ptr<llvm::Module> Code;
  std::vector<std::vector<std::string>> Programs; ///< empty: there is one
};

/// Throws InputError as extract does.
Sources compileAll(const ExtractionOptions &Options, llvm::LLVMContext &Context);

/// Without text where nothing posts or polls, and (OnlyShown) where the sources do not show which two roles
/// are at the ends of the queue pairs. Folder: of the file that it is written to; sources are named as seen
/// from there.
ProposedTopology propose(const ExtractionOptions &Options, const Sources &From, bool OnlyShown,
                         const std::optional<std::string> &Folder = std::nullopt);

} // namespace rdma::clang_ir

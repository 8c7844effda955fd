// Headers that many small programs begin with, compiled once in this process.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>

namespace rdma::clang_ir {

/// Lets the compilation of File take the `#include <...>` lines that it begins with from an earlier one with
/// the same command line. Files may be replaced. Returns what has to live as long as the compilation; null
/// where nothing is shared.
std::unique_ptr<llvm::MemoryBuffer> shareHeaders(clang::CompilerInvocation &Invocation,
                                                 clang::DiagnosticsEngine &Diagnostics,
                                                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &Files,
                                                 const std::string &File,
                                                 const std::vector<std::string> &CommandLine);

} // namespace rdma::clang_ir

// Headers of the C++ library that the analysis reads in a form of its own (library/): what they do is done
// there by what it follows.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

namespace rdma::clang_ir {

/// Where they lie, to be searched before the library's own: a folder among the standard ones, which is on no
/// disk.
inline constexpr const char *LibraryHeaders = "/usr/include/c++/rdma-tidy";

/// Is it one of them? Nobody can look at a place there.
inline bool isLibraryHeader(llvm::StringRef File) { return File.starts_with(LibraryHeaders); }

/// With them over what is there.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLibraryHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace rdma::clang_ir

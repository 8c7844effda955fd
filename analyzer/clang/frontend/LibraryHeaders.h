// Headers of the C++ library that the analysis reads in a form of its own (library/): what they do is done
// there by what it follows.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string>

namespace rdma::clang_ir {

/// Where they lie, to be searched before the library's own: a folder among the standard ones, which is on no
/// disk.
inline constexpr const char *LibraryHeaders = "/usr/include/c++/rdma-tidy";

/// With them over what is there.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLibraryHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace rdma::clang_ir

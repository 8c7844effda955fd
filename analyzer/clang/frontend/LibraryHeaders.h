// Headers of the C++ library that the analysis reads in a form of its own (library/): what they do is done
// there by what it follows.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

namespace rdma::clang_ir {

/// Where they lie, to be searched before the library's own: a folder among the standard ones, which is on no
/// disk.
inline constexpr const char *LibraryHeaders = "/usr/include/c++/rdma-tidy";

/// What is defined for the library's own: the last owner of a std::shared_ptr takes from its two counts one
/// after the other, and does not look at both as one word.
inline constexpr const char *LibraryMacro = "_GLIBCXX_TSAN=1";

/// Is it one of them? Nobody can look at a place there.
inline bool isLibraryHeader(llvm::StringRef File) { return File.starts_with(LibraryHeaders); }

/// With them over what is there.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLibraryHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace rdma::clang_ir

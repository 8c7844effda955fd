#include "analyzer/clang/frontend/LibraryHeaders.h"

#include <string>

namespace rdma::clang_ir {
namespace {

constexpr llvm::StringLiteral Future =
#include "LibraryFuture.inc"
    ;

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLibraryHeaders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  const std::string Path = std::string(LibraryHeaders) + "/future";
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Memory->addFile(Path, 0, llvm::MemoryBuffer::getMemBuffer(Future, Path));
  auto Both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Files));
  if (auto Here = Both->getCurrentWorkingDirectory())
    Memory->setCurrentWorkingDirectory(*Here);
  Both->pushOverlay(Memory);
  return Both;
}

} // namespace rdma::clang_ir

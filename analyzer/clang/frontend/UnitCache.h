// Sources compiled once: the module of a source is kept in a folder, and taken from there as long as nothing
// that its compilation looked at has changed.
//
// An entry belongs to a source's contents, the compiler's words for it, and the versions of this tool and of
// clang. It lists every file that was read with a digest of what was read, and every name that was looked
// for: a header that appears further ahead in the search makes it void, as a changed one does. Entries are
// written beside and renamed, so any number of processes may share a folder; the oldest go when there is 1
// GiB of them.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <vector>

namespace rdma::clang_ir {

class UnitCache {
public:
  using FilesOn = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

  /// Throws InputError when Folder cannot be made.
  UnitCache(const std::string &Folder, const std::string &File, const std::vector<std::string> &CompilerWords,
            FilesOn Files);
  ~UnitCache();

  /// Null when there is no entry that still holds.
  std::unique_ptr<llvm::Module> find(llvm::LLVMContext &Context) const;

  /// To compile with: notes what is read and looked for.
  FilesOn watched();

  /// The module that came of it.
  void keep(const llvm::Module &Unit) const;

private:
  class Watcher;
  std::string Folder, Source, Entry;
  FilesOn Files;
  llvm::IntrusiveRefCntPtr<Watcher> Watched;
};

} // namespace rdma::clang_ir

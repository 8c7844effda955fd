#include "analyzer/clang/frontend/UnitCache.h"
#include "ir/Litmus.h"

#include <clang/Basic/Version.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <map>

namespace rdma::clang_ir {

using namespace llvm;
using nlohmann::json;

namespace {

constexpr const char *Format = "rdma-tidy unit 3";
constexpr const char *Missing = "-", *Folders = "d", *Unread = "f"; ///< instead of a digest

std::string digest(StringRef Text) {
  BLAKE3 Hash;
  Hash.update(Text);
  return toHex(Hash.final());
}

/// A file, and who wants to know what was read.
class ReadFile : public vfs::File {
public:
  ReadFile(std::unique_ptr<vfs::File> Inner, std::string &Digest) : Inner(std::move(Inner)), Digest(Digest) {}
  ErrorOr<vfs::Status> status() override { return Inner->status(); }
  ErrorOr<std::string> getName() override { return Inner->getName(); }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, std::int64_t Size, bool Terminated,
                                                   bool Volatile) override {
    auto Buffer = Inner->getBuffer(Name, Size, Terminated, Volatile);
    if (Buffer)
      Digest = digest((*Buffer)->getBuffer());
    return Buffer;
  }
  std::error_code close() override { return Inner->close(); }

private:
  std::unique_ptr<vfs::File> Inner;
  std::string &Digest;
};

/// What a name leads to, as an entry has it.
std::string stateOf(vfs::FileSystem &Files, const std::string &Name, bool Read) {
  ErrorOr<vfs::Status> Status = Files.status(Name);
  if (!Status || !Status->exists())
    return Missing;
  if (Status->isDirectory())
    return Folders;
  if (!Read)
    return Unread;
  auto Buffer = Files.getBufferForFile(Name);
  return Buffer ? digest((*Buffer)->getBuffer()) : Missing;
}

} // namespace

class UnitCache::Watcher : public RTTIExtends<UnitCache::Watcher, vfs::ProxyFileSystem> {
public:
  static const char ID;
  explicit Watcher(FilesOn Files) : RTTIExtends(std::move(Files)) {}

  ErrorOr<vfs::Status> status(const Twine &Name) override {
    ErrorOr<vfs::Status> Status = ProxyFileSystem::status(Name);
    note(Name, !Status || !Status->exists() ? Missing : Status->isDirectory() ? Folders : Unread);
    return Status;
  }
  bool exists(const Twine &Name) override {
    ErrorOr<vfs::Status> Status = status(Name);
    return Status && Status->exists();
  }
  ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const Twine &Name) override {
    auto File = ProxyFileSystem::openFileForRead(Name);
    std::string &State = note(Name, File ? Unread : Missing);
    if (!File)
      return File;
    return std::unique_ptr<vfs::File>(new ReadFile(std::move(*File), State));
  }

  std::map<std::string, std::string> Seen; ///< by absolute name

private:
  /// What was read stays known; references into the map stay good.
  std::string &note(const Twine &Name, const char *State) {
    SmallString<256> Path;
    Name.toVector(Path);
    makeAbsolute(Path);
    return Seen.try_emplace(std::string(Path), State).first->second;
  }
};

const char UnitCache::Watcher::ID = 0;

UnitCache::UnitCache(const std::string &Folder, const std::string &File,
                     const std::vector<std::string> &CompilerWords, FilesOn Files)
    : Folder(Folder), Source(File), Files(Files), Watched(makeIntrusiveRefCnt<Watcher>(Files)) {
  if (sys::fs::create_directories(Folder) || !sys::fs::is_directory(Folder))
    throw InputError({Folder, 0, 0, ""}, "cannot keep compiled sources there");
  std::string Key = std::string(Format) + "\n" RDMA_TIDY_VERSION "\n" + clang::getClangFullVersion() + "\n";
  for (const std::string &Word : CompilerWords)
    Key += Word + "\n";
  if (auto Here = Files->getCurrentWorkingDirectory())
    Key += *Here + "\n";
  Key += stateOf(*Files, File, true);
  SmallString<256> Path(Folder);
  sys::path::append(Path, "llvmcache-" + digest(Key)); // the name that pruneCache looks after
  Entry = std::string(Path);
}

UnitCache::~UnitCache() = default;

UnitCache::FilesOn UnitCache::watched() { return Watched; }

std::unique_ptr<Module> UnitCache::find(LLVMContext &Context) const {
  auto Kept = MemoryBuffer::getFile(Entry, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Kept)
    return nullptr;
  auto [Head, Code] = (*Kept)->getBuffer().split('\n');
  json About = json::parse(Head.begin(), Head.end(), nullptr, /*allow_exceptions=*/false);
  if (!About.is_object() || About.value("code", "") != digest(Code))
    return nullptr; // not whole
  for (const auto &[Name, State] : About["seen"].items()) {
    auto Was = State.get<std::string>();
    if (stateOf(*Files, Name, Was.size() > 1) != Was)
      return nullptr;
  }
  auto Unit = parseBitcodeFile(MemoryBufferRef(Code, Source), Context);
  if (!Unit) {
    consumeError(Unit.takeError());
    return nullptr;
  }
  Context.setDiscardValueNames(true); // as where it was compiled
  (*Unit)->setIsNewDbgInfoFormat(true);
  return std::move(*Unit);
}

void UnitCache::keep(const Module &Unit) const {
  SmallVector<char, 0> Code;
  raw_svector_ostream Out(Code);
  WriteBitcodeToFile(Unit, Out, /*ShouldPreserveUseListOrder=*/true);
  json About = {{"code", digest(Out.str())}, {"seen", Watched->Seen}};
  auto Beside = sys::fs::TempFile::create(Entry + "-%%%%%%%%");
  if (!Beside) { // a full disk, say: the analysis goes on without
    consumeError(Beside.takeError());
    return;
  }
  raw_fd_ostream File(Beside->FD, /*shouldClose=*/false);
  File << About.dump(-1, ' ', false, json::error_handler_t::replace) << "\n" << Out.str();
  File.flush();
  bool Whole = !File.has_error();
  File.clear_error();
  consumeError(Whole ? Beside->keep(Entry) : Beside->discard());
  CachePruningPolicy Policy;
  Policy.MaxSizeBytes = std::uint64_t(1) << 30;
  pruneCache(Folder, Policy);
}

} // namespace rdma::clang_ir

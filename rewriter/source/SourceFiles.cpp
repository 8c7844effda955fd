#include "rewriter/source/SourceFiles.h"

#include "analyzer/clang/frontend/Frontend.h"
#include "ir/Litmus.h"
#include "rewriter/Files.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/Utils.h>
#include <llvm/Support/FileSystem.h>

#include <algorithm>
#include <filesystem>

namespace rdma::source {

using namespace clang;

namespace {

std::string absolute(const std::string &File) {
  llvm::SmallString<256> Path(File);
  llvm::sys::fs::make_absolute(Path);
  return std::string(Path);
}

/// Written by the user, and to be written by us.
bool isChangeable(const std::string &Name) {
  std::error_code Error;
  auto Mode = std::filesystem::status(Name, Error).permissions();
  using enum std::filesystem::perms;
  return !Error && (Mode & (owner_write | group_write | others_write)) != none;
}

std::unique_ptr<ASTUnit> load(const std::shared_ptr<CompilerInvocation> &Invocation,
                              const llvm::IntrusiveRefCntPtr<DiagnosticsEngine> &Engine,
                              const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &Disk) {
  if (!Invocation)
    return nullptr;
  Invocation->getDependencyOutputOpts() = {};
  llvm::IntrusiveRefCntPtr Files(new FileManager(Invocation->getFileSystemOpts(), Disk));
  return ASTUnit::LoadFromCompilerInvocation(Invocation, std::make_shared<PCHContainerOperations>(), Engine,
                                             Files.get());
}

} // namespace

/// A compile command may name a folder to run in: it is that of a file system of its own, not the process's.
std::unique_ptr<ASTUnit> SourceFiles::parsed(const std::string &Source) const {
  auto Engine = CompilerInstance::createDiagnostics(new DiagnosticOptions, new IgnoringDiagConsumer);
  auto Disk = clang_ir::fileSystem(Options);
  if (clang_ir::isParsed(Options)) // as another tool parses it
    return load(clang_ir::parsedAlready(Options, *Engine), Engine, Disk);
  std::vector<std::string> Line = clang_ir::flagsFor(Source, Options);
  Line.insert(Line.begin(), "rdma-fix");
  for (const std::string &Word :
       {std::string("-fsyntax-only"), std::string("-resource-dir=" RDMA_CLANG_RESOURCES), std::string("-w"),
        absolute(Source)})
    Line.push_back(Word);
  std::vector<const char *> Words;
  for (const std::string &Word : Line)
    Words.push_back(Word.c_str());
  CreateInvocationOptions Create;
  Create.Diags = Engine;
  Create.VFS = Disk;
  return load(createInvocation(Words, Create), Engine, Disk);
}

ASTUnit &SourceFiles::unit(const std::string &Source) {
  std::unique_ptr<ASTUnit> &Unit = Units[Source];
  if (Unit)
    return *Unit;
  Unit = parsed(Source);
  if (!Unit)
    throw InputError({Source, 0, 0, {}}, "cannot be parsed");
  return *Unit;
}

/// A source under analysis, or a header that one of them includes.
EditedFile *SourceFiles::open(const std::string &Name) {
  bool IsSource = std::find(Options.Files.begin(), Options.Files.end(), Name) != Options.Files.end();
  for (const std::string &Source : Options.Files) {
    if (IsSource && Source != Name)
      continue;
    const SourceManager &M = unit(Source).getSourceManager();
    auto Entry = M.getFileManager().getOptionalFileRef(absolute(Name));
    FileID Id = IsSource ? M.getMainFileID() : Entry ? M.translateFile(*Entry) : FileID();
    if (Id.isInvalid())
      continue;
    for (const auto &Known : All)
      if (&Known->Tree->Unit == &unit(Source) && Known->Tree->File == Id)
        return Known.get();
    auto F = std::make_unique<EditedFile>();
    F->Name = Name;
    F->Contents = M.getBufferData(Id).str();
    F->Tree = std::make_unique<Syntax>(unit(Source), Id);
    F->IsSource = IsSource;
    F->MayChange = IsSource || (!M.isInSystemHeader(M.getLocForStartOfFile(Id)) && isChangeable(Name));
    return All.emplace_back(std::move(F)).get();
  }
  return nullptr;
}

EditedFile *SourceFiles::find(const std::string &Name) {
  auto [Known, New] = ByName.try_emplace(Name);
  if (New)
    Known->second = open(Name);
  return Known->second;
}

Standing standingAt(SourceFiles &Files, const EditedFile &In, const Slot &At,
                    const std::vector<Place> &Chain) {
  auto IsIn = [&](const Place &Where) {
    EditedFile *F = Files.find(Where.File);
    const FunctionDecl *Around = F ? F->Tree->functionAt(Where) : nullptr;
    return Around && Around->getCanonicalDecl() == At.Function->getCanonicalDecl();
  };
  std::size_t Level = std::find_if(Chain.begin(), Chain.end(), IsIn) - Chain.begin();
  return {&In, At.Function, At.At, Level};
}

Standing callerOf(SourceFiles &Files, const Standing &Inner, const std::vector<Place> &Chain) {
  if (Inner.Level + 1 >= Chain.size())
    return {};
  const Place &Call = Chain[Inner.Level + 1];
  EditedFile *F = Files.find(Call.File);
  auto From = F ? F->Tree->invocation(Call, Chain[Inner.Level].Function) : std::nullopt;
  if (!From)
    return {};
  return {F, F->Tree->functionAround(From->Whole), From->Whole, Inner.Level + 1};
}

} // namespace rdma::source

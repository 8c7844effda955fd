#include "rewriter/source/SourceFiles.h"

#include "analyzer/clang/frontend/Frontend.h"
#include "ir/Litmus.h"
#include "rewriter/Files.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Tooling/Tooling.h>
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

/// As another tool parses it.
std::unique_ptr<ASTUnit> parsedAgain(const ExtractionOptions &Options) {
  auto Engine = CompilerInstance::createDiagnostics(new DiagnosticOptions, new IgnoringDiagConsumer);
  auto Invocation = clang_ir::parsedAlready(Options, *Engine);
  if (!Invocation)
    return nullptr;
  llvm::IntrusiveRefCntPtr Files(
      new FileManager(Invocation->getFileSystemOpts(), clang_ir::fileSystem(Options)));
  return ASTUnit::LoadFromCompilerInvocation(Invocation, std::make_shared<PCHContainerOperations>(), Engine,
                                             Files.get());
}

} // namespace

std::unique_ptr<ASTUnit> SourceFiles::parsed(const std::string &Source) const {
  tooling::FileContentMappings Overlay;
  for (const auto &[Name, Contents] : Options.Overlay)
    if (Name != Source)
      Overlay.emplace_back(absolute(Name), Contents);
  std::vector<std::string> Flags = clang_ir::flagsFor(Source, Options);
  Flags.push_back("-resource-dir=" RDMA_CLANG_RESOURCES);
  Flags.push_back("-w");
  auto Given = Options.Overlay.find(Source);
  return tooling::buildASTFromCodeWithArgs(
      Given == Options.Overlay.end() ? readFile(Source) : Given->second, Flags, Source, "rdma-fix",
      std::make_shared<PCHContainerOperations>(), tooling::getClangStripDependencyFileAdjuster(), Overlay);
}

ASTUnit &SourceFiles::unit(const std::string &Source) {
  std::unique_ptr<ASTUnit> &Unit = Units[Source];
  if (Unit)
    return *Unit;
  Unit = clang_ir::isParsed(Options) ? parsedAgain(Options) : parsed(Source);
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
    auto Entry = M.getFileManager().getOptionalFileRef(Name);
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

} // namespace rdma::source

#include "analyzer/clang/frontend/Frontend.h"
#include "ir/Litmus.h"

#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace rdma::clang_ir {
namespace {

using clang::tooling::CompilationDatabase;

bool isC(const std::string &File) { return llvm::sys::path::extension(File) == ".c"; }

std::string absolute(const std::string &File, const std::string &Folder) {
  llvm::SmallString<256> Path(File);
  llvm::sys::fs::make_absolute(Folder, Path);
  llvm::sys::path::remove_dots(Path, true);
  return std::string(Path);
}

/// The word is the source, whichever of the two is relative to the command's folder.
bool namesSource(const std::string &Word, const clang::tooling::CompileCommand &Command) {
  if (Word.empty() || Word.front() == '-')
    return false;
  std::string Given = absolute(Word, Command.Directory),
              Source = absolute(Command.Filename, Command.Directory);
  return Given == Source || llvm::sys::fs::equivalent(Given, Source);
}

/// Drops what selects the job and its output: the compiler's name, -c, -o X, dependency files, the source.
std::vector<std::string> jobFree(const clang::tooling::CompileCommand &Command) {
  std::vector<std::string> Kept{"-working-directory=" + Command.Directory};
  const std::vector<std::string> &Line = Command.CommandLine;
  for (std::size_t I = 1; I < Line.size(); ++I) {
    if (Line[I] == "-o" || Line[I] == "-MF" || Line[I] == "-MT" || Line[I] == "-MQ")
      ++I;
    else if (Line[I] != "-c" && Line[I] != "-S" && Line[I] != "--" && Line[I].rfind("-M", 0) != 0 &&
             !namesSource(Line[I], Command))
      Kept.push_back(Line[I]);
  }
  return Kept;
}

std::string currentFolder() {
  llvm::SmallString<256> Here;
  llvm::sys::fs::current_path(Here);
  return std::string(Here);
}

/// CMake gives the whole command behind --, the compiler's name first.
bool isCommand(const std::vector<std::string> &Flags) {
  return !Flags.empty() && !Flags.front().empty() && Flags.front().find_first_of("-@") != 0;
}

std::unique_ptr<CompilationDatabase> database(const std::string &File, const std::string &BuildPath) {
  std::string Message;
  if (BuildPath.empty())
    return CompilationDatabase::autoDetectFromSource(File, Message);
  auto Found = CompilationDatabase::loadFromDirectory(BuildPath, Message);
  if (!Found)
    throw InputError({BuildPath, 0, 0, ""}, "no compile_commands.json here");
  return Found;
}

} // namespace

std::vector<std::string> flagsFor(const std::string &File, const ExtractionOptions &Options) {
  std::vector<std::string> Flags;
  if (Options.HasFlags) {
    Flags = isCommand(Options.Flags) ? jobFree({currentFolder(), File, Options.Flags, ""}) : Options.Flags;
  } else if (auto Database = database(File, Options.BuildPath)) {
    llvm::SmallString<256> Absolute(File);
    llvm::sys::fs::make_absolute(Absolute);
    auto Commands = Database->getCompileCommands(Absolute);
    if (!Commands.empty())
      Flags = jobFree(Commands.front());
  }
  Flags.insert(Flags.begin(), Options.ExtraArgsBefore.begin(), Options.ExtraArgsBefore.end());
  bool Standard = false;
  for (const std::string &Flag : Flags)
    Standard |= Flag.rfind("-std=", 0) == 0;
  if (!Standard)
    Flags.insert(Flags.begin(), isC(File) ? "-std=gnu17" : "-std=gnu++20");
  Flags.insert(Flags.end(), Options.ExtraArgs.begin(), Options.ExtraArgs.end());
  return Flags;
}

} // namespace rdma::clang_ir

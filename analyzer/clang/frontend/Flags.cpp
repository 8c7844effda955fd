#include "analyzer/clang/frontend/Frontend.h"
#include "ir/Litmus.h"

#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace rdma::clang_ir {
namespace {

using clang::tooling::CompilationDatabase;
using clang::tooling::CompileCommand;

/// What is taken where nothing says more; none for a file that may be of either language.
const char *standardFor(const std::string &File) {
  llvm::StringRef Extension = llvm::sys::path::extension(File);
  return Extension == ".c" ? "-std=gnu17" : Extension == ".h" ? nullptr : "-std=gnu++20";
}

bool saysLanguage(const std::vector<std::string> &Flags) {
  return llvm::any_of(Flags, [](llvm::StringRef Flag) {
    return Flag.starts_with("-std=") || Flag.starts_with("--std=") || Flag.starts_with("-x") ||
           Flag == "-ansi";
  });
}

std::string absolute(const std::string &File, const std::string &Folder) {
  llvm::SmallString<256> Path(File);
  llvm::sys::fs::make_absolute(Folder, Path);
  llvm::sys::path::remove_dots(Path, true);
  return std::string(Path);
}

/// The word is the source, whichever of the two is relative to the command's folder.
bool namesSource(const std::string &Word, const CompileCommand &Command) {
  if (Word.empty() || Word.front() == '-')
    return false;
  std::string Given = absolute(Word, Command.Directory),
              Source = absolute(Command.Filename, Command.Directory);
  return Given == Source || llvm::sys::fs::equivalent(Given, Source);
}

/// Drops what selects the job and its output: -c, -o X, dependency files.
std::vector<std::string> jobFree(const std::vector<std::string> &Flags) {
  std::vector<std::string> Kept;
  for (std::size_t I = 0; I < Flags.size(); ++I) {
    llvm::StringRef Flag = Flags[I];
    if (Flag == "-o" || Flag == "-MF" || Flag == "-MT" || Flag == "-MQ")
      ++I;
    else if (Flag != "-c" && Flag != "-S" && Flag != "--" && !Flag.starts_with("-M") &&
             !Flag.starts_with("-Wp,-M") && !Flag.starts_with("-save-temps") &&
             !Flag.starts_with("--save-temps"))
      Kept.push_back(Flags[I]);
  }
  return Kept;
}

/// A compiler of C++ takes x.c for C++.
bool isCxxInC(const CompileCommand &Command) {
  return !Command.CommandLine.empty() &&
         llvm::sys::path::filename(Command.CommandLine.front()).contains("++") &&
         llvm::StringRef(Command.Filename).ends_with(".c");
}

/// Of a whole command also without the compiler's name and the source.
std::vector<std::string> flagsOf(const CompileCommand &Command) {
  std::vector<std::string> Flags = jobFree(Command.CommandLine);
  Flags.erase(Flags.begin(), Flags.begin() + !Flags.empty());
  std::erase_if(Flags, [&](const std::string &Word) { return namesSource(Word, Command); });
  // A file that is no entry of the database has the flags of one that is, not its compiler's language.
  if (!Command.Heuristic.empty())
    std::erase_if(Flags, [](llvm::StringRef Flag) { return Flag.starts_with("--driver-mode="); });
  else if (isCxxInC(Command))
    Flags.insert(Flags.begin(), "-xc++");
  Flags.insert(Flags.begin(), "-working-directory=" + Command.Directory);
  return Flags;
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

/// What is made of the source, an absolute path; empty where the command does not tell.
std::string objectOf(const CompileCommand &Command) {
  std::string Output = Command.Output;
  auto Named = llvm::find(Command.CommandLine, "-o");
  if (Output.empty() && Named != Command.CommandLine.end() && Named + 1 != Command.CommandLine.end())
    Output = Named[1];
  return Output.empty() ? "" : absolute(Output, Command.Directory);
}

/// Those of the database for the source: one, where it is known which.
std::vector<CompileCommand> commandsFor(const std::string &File, const ExtractionOptions &Options) {
  auto Database = database(File, Options.BuildPath);
  if (!Database)
    return {};
  std::vector<CompileCommand> All = Database->getCompileCommands(absolute(File, currentFolder()));
  if (auto Known = Options.Objects.find(File); Known != Options.Objects.end() && !Known->second.empty())
    for (const CompileCommand &Command : All)
      if (objectOf(Command) == Known->second)
        return {Command};
  return All;
}

/// Without what says nothing of the code's meaning: warnings, debug information, where code is loaded.
std::vector<std::string> meaningOf(const CompileCommand &Command) {
  std::vector<std::string> Flags = flagsOf(Command);
  llvm::erase_if(Flags, [](llvm::StringRef Flag) {
    return (Flag.starts_with("-W") && !Flag.contains(',')) || Flag.starts_with("-g") ||
           Flag.ends_with_insensitive("-fpic") || Flag.ends_with_insensitive("-fpie");
  });
  return Flags;
}

} // namespace

bool compiledInSeveralWays(const std::string &File, const ExtractionOptions &Options) {
  if (Options.HasFlags)
    return false;
  std::vector<CompileCommand> All = commandsFor(File, Options);
  return llvm::any_of(All, [&](const CompileCommand &C) { return meaningOf(C) != meaningOf(All.front()); });
}

std::vector<std::string> flagsFor(const std::string &File, const ExtractionOptions &Options) {
  std::vector<std::string> Flags;
  if (Options.HasFlags) {
    Flags = isCommand(Options.Flags) ? flagsOf({currentFolder(), File, Options.Flags, ""})
                                     : jobFree(Options.Flags);
  } else if (std::vector<CompileCommand> Commands = commandsFor(File, Options); !Commands.empty()) {
    Flags = flagsOf(Commands.front());
  }
  std::vector<std::string> Before = jobFree(Options.ExtraArgsBefore), Behind = jobFree(Options.ExtraArgs);
  Flags.insert(Flags.begin(), Before.begin(), Before.end());
  if (!saysLanguage(Flags) && !saysLanguage(Behind))
    if (const char *Standard = standardFor(File))
      Flags.insert(Flags.begin(), Standard);
  Flags.insert(Flags.end(), Behind.begin(), Behind.end());
  return Flags;
}

} // namespace rdma::clang_ir

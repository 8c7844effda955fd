#include "analyzer/tools/Linked.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace rdma {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// CMake's "CMakeFiles/server.dir/main.c.o" and Meson's "server.p/main.c.o" are of target "server".
std::string targetIn(const std::string &Output) {
  static const std::regex Shape("(.*/)?(?:CMakeFiles/([^/]+)\\.dir|([^/]+)\\.p)/.*");
  std::smatch Parts;
  return std::regex_match(Output, Parts, Shape) ? Parts[1].str() + Parts[2].str() + Parts[3].str() : "";
}

std::vector<std::string> wordsOf(const json &Command) {
  if (Command.contains("arguments"))
    return Command["arguments"].get<std::vector<std::string>>();
  std::istringstream In(Command.value("command", ""));
  return {std::istream_iterator<std::string>(In), {}};
}

/// The word behind -o.
std::string outputOf(const json &Command) {
  if (Command.contains("output"))
    return Command["output"].get<std::string>();
  std::vector<std::string> Words = wordsOf(Command);
  auto Found = std::find(Words.begin(), Words.end(), "-o");
  return Found == Words.end() || Found + 1 == Words.end() ? "" : Found[1];
}

/// nvcc has headers and options of its own.
bool isForeign(const json &Command) {
  std::vector<std::string> Words = wordsOf(Command);
  return std::any_of(Words.begin(), Words.begin() + std::min<std::size_t>(Words.size(), 2),
                     [](const std::string &Word) { return fs::path(Word).filename() == "nvcc"; });
}

/// Short, when it lies below the current folder.
std::string spelled(const fs::path &Path) {
  fs::path Relative = Path.lexically_relative(fs::current_path());
  return Relative.empty() || *Relative.begin() == ".." ? Path.string() : Relative.string();
}

bool isSource(const std::string &File) {
  static const std::set<std::string> Known{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu"};
  return Known.count(fs::path(File).extension().string());
}

} // namespace

std::vector<DatabaseEntry> databaseEntries(const std::string &BuildPath) {
  fs::path File = fs::path(BuildPath) / "compile_commands.json";
  std::ifstream In(File, std::ios::binary);
  if (!In)
    throw UsageError(BuildPath + ": no compile_commands.json here");
  std::vector<DatabaseEntry> Entries;
  std::set<std::tuple<std::string, std::string, std::string>> Seen;
  try {
    const json Root = json::parse(In);
    for (const json &Command : Root) {
      const fs::path Folder = Command.at("directory").get<std::string>();
      fs::path Source = Folder / Command.at("file").get<std::string>();
      std::string Output = outputOf(Command);
      DatabaseEntry E{spelled(fs::absolute(Source).lexically_normal()), targetIn(Output), isForeign(Command),
                      Output.empty() ? "" : fs::absolute(Folder / Output).lexically_normal().string()};
      if (isSource(E.File) && Seen.insert({E.File, E.Target, E.Object}).second)
        Entries.push_back(std::move(E));
    }
  } catch (const json::exception &) {
    throw UsageError(File.string() + ": not a compile database");
  }
  if (Entries.empty())
    throw UsageError(File.string() + ": no C or C++ source in this compile database");
  return Entries;
}

std::map<std::string, std::vector<std::string>> databaseTargets(const std::string &BuildPath) {
  std::map<std::string, std::vector<std::string>> Targets;
  auto add = [&](const std::string &Target, const std::string &File) {
    std::vector<std::string> &Files = Targets[Target];
    if (std::find(Files.begin(), Files.end(), File) == Files.end())
      Files.push_back(File);
  };
  if (!fs::exists(fs::path(BuildPath) /
                  "compile_commands.json")) // compile_flags.txt, or nothing, as clang will say
    return Targets;
  std::vector<DatabaseEntry> Entries = databaseEntries(BuildPath);
  auto Linked = linkedTargets(BuildPath, Entries);
  for (const DatabaseEntry &E : Entries)
    if (!E.Target.empty())
      add(E.Target, E.File);
  for (const DatabaseEntry &E : Entries)
    for (const auto &[Target, Others] : Linked)
      if (Others.count(E.Target))
        add(Target, E.File);
  return Targets;
}

} // namespace rdma

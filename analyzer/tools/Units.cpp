#include "analyzer/tools/Units.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace rdma {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Entry {
  std::string File, Target;
  bool Foreign = false; ///< to clang
};

/// "CMakeFiles/server.dir/main.c.o" is of target "server".
std::string targetIn(const std::string &Output) {
  static const std::regex Shape("(.*/)?CMakeFiles/([^/]+)\\.dir/.*");
  std::smatch Parts;
  return std::regex_match(Output, Parts, Shape) ? Parts[1].str() + Parts[2].str() : "";
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

std::vector<Entry> entriesOf(const std::string &BuildPath) {
  fs::path File = fs::path(BuildPath) / "compile_commands.json";
  std::ifstream In(File, std::ios::binary);
  if (!In)
    throw UsageError(BuildPath + ": no compile_commands.json here");
  std::vector<Entry> Entries;
  std::set<std::pair<std::string, std::string>> Seen;
  try {
    const json Root = json::parse(In);
    for (const json &Command : Root) {
      fs::path Source =
          fs::path(Command.at("directory").get<std::string>()) / Command.at("file").get<std::string>();
      Entry E{spelled(fs::absolute(Source).lexically_normal()), targetIn(outputOf(Command)),
              isForeign(Command)};
      if (isSource(E.File) && Seen.insert({E.File, E.Target}).second)
        Entries.push_back(std::move(E));
    }
  } catch (const json::exception &) {
    throw UsageError(File.string() + ": not a compile database");
  }
  if (Entries.empty())
    throw UsageError(File.string() + ": no C or C++ source in this compile database");
  return Entries;
}

/// A guess that only groups files: what a program lacks is unknown to it, never taken for harmless.
bool definesMain(const std::string &File) {
  static const std::regex Main("(^|[^A-Za-z0-9_>.])main[ \t\r\n]*\\(");
  std::ifstream In(File, std::ios::binary);
  for (std::string Line; std::getline(In, Line);)
    if (std::regex_search(Line, Main))
      return true;
  return false;
}

std::vector<Unit> byTarget(const std::vector<Entry> &Entries) {
  std::vector<Unit> Units;
  std::map<std::string, std::size_t> Index;
  for (const Entry &E : Entries) {
    auto [Found, New] = Index.try_emplace(E.Target, Units.size());
    if (New)
      Units.push_back({E.Target, {}});
    Unit &Own = Units[Found->second];
    (E.Foreign ? Own.LeftOut : Own.Files).push_back(E.File);
  }
  return Units;
}

std::vector<Unit> byMain(const std::vector<Entry> &Entries) {
  std::vector<std::string> Shared, Mains, Foreign;
  for (const Entry &E : Entries)
    (E.Foreign ? Foreign : definesMain(E.File) ? Mains : Shared).push_back(E.File);
  std::vector<Unit> Units;
  for (const std::string &Main : Mains) {
    Units.push_back({Main, {Main}});
    Units.back().Files.insert(Units.back().Files.end(), Shared.begin(), Shared.end());
  }
  if (Mains.empty())
    Units.push_back({"the library", Shared});
  for (Unit &U : Units)
    U.LeftOut = Foreign;
  return Units;
}

} // namespace

std::vector<Unit> unitsOf(const Options &O) {
  if (!O.Files.empty())
    return {{O.Files.front(), O.Files}};
  std::vector<Entry> Entries = entriesOf(O.BuildPath);
  bool Targets =
      std::any_of(Entries.begin(), Entries.end(), [](const Entry &E) { return !E.Target.empty(); });
  std::vector<Unit> Units = Targets ? byTarget(Entries) : byMain(Entries);
  // A target of which nothing is left may be part of any other.
  std::vector<std::string> Whole;
  for (const Unit &U : Units)
    if (U.Files.empty())
      Whole.insert(Whole.end(), U.LeftOut.begin(), U.LeftOut.end());
  std::erase_if(Units, [](const Unit &U) { return U.Files.empty(); });
  for (Unit &U : Units)
    U.LeftOut.insert(U.LeftOut.end(), Whole.begin(), Whole.end());
  if (Units.empty())
    throw UsageError("nothing in this compile database is for clang to read");
  return Units;
}

} // namespace rdma

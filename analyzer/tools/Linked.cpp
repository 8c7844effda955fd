#include "analyzer/tools/Linked.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace rdma {
namespace {

namespace fs = std::filesystem;

struct Edge {
  std::string Product;
  std::vector<std::string> Inputs;
  std::string Rule,
      Folder; ///< of ninja's rule, or of the objects that are the target's own: whose link it is
};

std::string normal(const fs::path &Folder, const std::string &Word) {
  return fs::absolute(Folder / Word).lexically_normal().string();
}

/// The words of a line of ninja up to the dependencies that are only of order; ':' and '|' are words.
std::vector<std::string> ninjaWords(const std::string &Line) {
  std::vector<std::string> Words{""};
  for (std::size_t I = 0; I < Line.size(); ++I) {
    if (Line.compare(I, 2, "||") == 0)
      break;
    if (Line[I] == '$' && I + 1 < Line.size())
      Words.back() += Line[++I];
    else if (Line[I] == ' ')
      Words.push_back("");
    else if (Line[I] == ':' || Line[I] == '|')
      Words.insert(Words.end(), {std::string(1, Line[I]), ""});
    else
      Words.back() += Line[I];
  }
  std::erase(Words, "");
  return Words;
}

std::vector<Edge> ninjaEdges(const fs::path &Build) {
  std::ifstream In(Build / "build.ninja", std::ios::binary);
  std::vector<Edge> Edges;
  for (std::string Line, More; std::getline(In, Line);) {
    while (Line.ends_with("$") && std::getline(In, More))
      Line =
          Line.substr(0, Line.size() - 1) + More.substr(std::min(More.find_first_not_of(' '), More.size()));
    if (!Line.starts_with("build "))
      continue;
    std::vector<std::string> Words = ninjaWords(Line.substr(6));
    auto Colon = std::find(Words.begin(), Words.end(), ":");
    if (Words.end() - Colon < 2)
      continue;
    std::vector<std::string> Inputs;
    for (auto Word = Colon + 2; Word != Words.end(); ++Word)
      if (*Word != "|")
        Inputs.push_back(normal(Build, *Word));
    for (auto Word = Words.begin(); Word != Colon; ++Word)
      if (*Word != "|")
        Edges.push_back({normal(Build, *Word), Inputs, Colon[1], ""});
  }
  return Edges;
}

/// "sub/CMakeFiles/server.dir/link.txt" is run in "sub": "c++ … -o server …", and of an archive "ar qc
/// libwire.a …".
std::vector<Edge> makeEdges(const fs::path &Build) {
  std::vector<Edge> Edges;
  std::error_code Ignored;
  for (const fs::directory_entry &File :
       fs::recursive_directory_iterator(Build, fs::directory_options::skip_permission_denied, Ignored)) {
    if (File.path().filename() != "link.txt")
      continue;
    fs::path Own = File.path().parent_path(), RunIn = Own.parent_path().parent_path();
    std::ifstream In(File.path(), std::ios::binary);
    std::string Line;
    std::getline(In, Line);
    std::istringstream Text(Line);
    std::vector<std::string> Words;
    for (std::string Word; Text >> std::quoted(Word);)
      Words.push_back(Word);
    auto Named = std::find(Words.begin(), Words.end(), "-o");
    std::size_t Product = Named == Words.end() ? 2 : Named - Words.begin() + 1;
    if (Product >= Words.size())
      continue;
    std::vector<std::string> Inputs;
    for (std::size_t I = 1; I < Words.size(); ++I)
      if (I != Product && !Words[I].starts_with("-"))
        Inputs.push_back(normal(RunIn, Words[I]));
    Edges.push_back({normal(RunIn, Words[Product]), Inputs, "", normal(Own, "")});
  }
  return Edges;
}

class Links {
public:
  Links(std::vector<Edge> Edges, const std::vector<DatabaseEntry> &Entries) : All(std::move(Edges)) {
    for (const DatabaseEntry &E : Entries)
      if (!E.Target.empty())
        TargetOf[E.Object] = E.Target;
    for (const Edge &E : All)
      Made[E.Product].push_back(&E);
  }

  std::map<std::string, std::set<std::string>> run() const {
    std::map<std::string, std::set<std::string>> Linked;
    for (const Edge &E : All) {
      std::string Owner = TargetOf.count(E.Product) ? "" : ownerOf(E);
      if (Owner.empty())
        continue;
      std::set<std::string> Within = within(E);
      Within.erase(Owner);
      Linked[Owner].merge(Within);
    }
    return Linked;
  }

private:
  /// The target whose objects these are; of several, which a library of objects makes, the one that the link
  /// is called after. Nothing where that is not told.
  std::string ownerOf(const Edge &E) const {
    std::set<std::string> Targets;
    for (const std::string &Input : E.Inputs)
      if (auto Found = TargetOf.find(Input);
          Found != TargetOf.end() && (E.Folder.empty() || Input.starts_with(E.Folder)))
        Targets.insert(Found->second);
    if (Targets.size() == 1)
      return *Targets.begin();
    for (const std::string &Target : Targets) {
      std::string Name = fs::path(Target).filename().string();
      if (E.Rule.find("__" + Name + "_") != std::string::npos || fs::path(E.Product).filename() == Name)
        return Target;
    }
    return "";
  }

  /// What an object is made of is no part of the link: a program that generates its source, say.
  std::set<std::string> within(const Edge &From) const {
    std::set<std::string> Targets, Seen;
    std::vector<const Edge *> Work{&From};
    while (!Work.empty()) {
      const Edge &E = *Work.back();
      Work.pop_back();
      for (const std::string &Input : E.Inputs) {
        if (!Seen.insert(Input).second)
          continue;
        if (auto Object = TargetOf.find(Input); Object != TargetOf.end())
          Targets.insert(Object->second);
        else if (auto Found = Made.find(Input); Found != Made.end())
          Work.insert(Work.end(), Found->second.begin(), Found->second.end());
      }
    }
    return Targets;
  }

  std::vector<Edge> All;
  std::map<std::string, std::string> TargetOf; ///< by object
  std::map<std::string, std::vector<const Edge *>> Made;
};

} // namespace

std::map<std::string, std::set<std::string>> linkedTargets(const std::string &BuildPath,
                                                           const std::vector<DatabaseEntry> &Entries) {
  bool Ninja = fs::exists(fs::path(BuildPath) / "build.ninja");
  return Links(Ninja ? ninjaEdges(BuildPath) : makeEdges(BuildPath), Entries).run();
}

} // namespace rdma

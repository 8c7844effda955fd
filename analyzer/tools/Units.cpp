#include "analyzer/tools/Units.h"

#include "analyzer/clang/Extract.h"
#include "analyzer/tools/Linked.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace rdma {
namespace {

namespace fs = std::filesystem;

/// A guess that only groups files: what a program lacks is unknown to it, never taken for harmless.
bool definesMain(const std::string &File) {
  static const std::regex Main("(^|[^A-Za-z0-9_>.])main[ \t\r\n]*\\(");
  std::ifstream In(File, std::ios::binary);
  for (std::string Line; std::getline(In, Line);)
    if (std::regex_search(Line, Main))
      return true;
  return false;
}

std::vector<Unit> byTarget(const std::string &BuildPath, const std::vector<DatabaseEntry> &Entries) {
  auto Linked = linkedTargets(BuildPath, Entries);
  auto links = [&](const std::string &Target, const std::string &Other) {
    return Linked[Target].count(Other) > 0;
  };
  std::vector<std::string> Targets;
  for (const DatabaseEntry &E : Entries)
    if (std::find(Targets.begin(), Targets.end(), E.Target) == Targets.end())
      Targets.push_back(E.Target);
  std::vector<Unit> Units;
  for (const std::string &Target : Targets) {
    // Libraries that need each other are no part of anything yet.
    if (std::any_of(Targets.begin(), Targets.end(),
                    [&](auto &Other) { return links(Other, Target) && !links(Target, Other); }))
      continue;
    Unit Own{Target};
    for (bool Others : {false, true})
      for (const DatabaseEntry &E : Entries)
        if (Others ? links(Target, E.Target) : E.Target == Target)
          Own.takeIn(E);
    Units.push_back(std::move(Own));
  }
  return Units;
}

std::vector<Unit> byMain(const std::vector<DatabaseEntry> &Entries) {
  Unit Shared{"the library"};
  std::vector<Unit> Units;
  for (const DatabaseEntry &E : Entries)
    if (E.Foreign || !definesMain(E.File)) {
      Shared.takeIn(E);
    } else {
      auto Same = std::find_if(Units.begin(), Units.end(), [&](const Unit &U) { return U.Name == E.File; });
      (Same == Units.end() ? Units.emplace_back(Unit{E.File}) : *Same).takeIn(E);
    }
  for (Unit &U : Units)
    U.takeIn(Shared);
  return Units.empty() ? std::vector{Shared} : Units;
}

bool isCalled(const std::string &Target, const std::string &Name) {
  return Target == Name || Target.ends_with("/" + Name);
}

/// What a node's "sources" say: a file by the end of its path, seen from the topology's folder, or a target.
class Named {
public:
  Named(const std::string &Topology, const std::string &BuildPath,
        const std::vector<DatabaseEntry> &Entries) {
    fs::path Folder = fs::absolute(Topology).parent_path();
    auto Targets = databaseTargets(BuildPath);
    for (const std::string &Name : sourcesNamedIn(Topology)) {
      for (const auto &[Target, Sources] : Targets)
        if (isCalled(Target, Name))
          Files.insert(Sources.begin(), Sources.end());
      std::string Beside = (Folder / Name).lexically_normal().string();
      for (const DatabaseEntry &E : Entries)
        if (E.File == Name || E.File.ends_with("/" + Name) ||
            fs::absolute(E.File).lexically_normal() == Beside)
          Files.insert(E.File);
    }
  }

  std::set<std::string> Files;
};

/// Nothing is left of it that no node has. Where targets are not known, what has no main is a part of every
/// unit.
bool isWithin(const std::set<std::string> &Files, const Unit &U, bool Targets) {
  auto Is = [&](const std::string &File) { return Files.contains(File); };
  return Targets ? std::all_of(U.Files.begin(), U.Files.end(), Is) : Is(U.Files.front());
}

/// Programs that one topology makes the nodes of are one system.
std::vector<Unit> joinSystems(const Options &O, const std::vector<DatabaseEntry> &Entries,
                              std::vector<Unit> Units, bool Targets) {
  std::map<std::string, std::size_t> Systems; ///< by topology: where it stands
  std::vector<Unit> Joined;
  for (Unit &U : Units) {
    std::string Topology = topologyOf(O, U);
    std::set<std::string> Files;
    if (!Topology.empty())
      Files = Named(Topology, O.BuildPath, Entries).Files;
    if (Files.empty()) {
      Joined.push_back(std::move(U));
      continue;
    }
    auto [Found, New] = Systems.try_emplace(Topology, Joined.size());
    if (New)
      Joined.push_back({"", {Files.begin(), Files.end()}, {}, Topology});
    if (isWithin(Files, U, Targets)) {
      Unit &System = Joined[Found->second];
      System.Name += (System.Name.empty() ? "" : " + ") + U.Name;
      System.takeIn(U);
    } else {
      U.Alone = true;
      Joined.push_back(std::move(U));
    }
  }
  for (Unit &U : Joined)
    if (U.Name.empty())
      U.Name = U.Topology;
  return Joined;
}

/// Read in two ways, a source is in neither for sure.
void compileAs(std::map<std::string, std::string> &Objects, const std::string &File,
               const std::string &Object) {
  if (auto [At, New] = Objects.try_emplace(File, Object); !New && At->second != Object)
    At->second.clear();
}

void addOnce(std::vector<std::string> &All, const std::string &File) {
  if (std::find(All.begin(), All.end(), File) == All.end())
    All.push_back(File);
}

} // namespace

void Unit::takeIn(const DatabaseEntry &E) {
  addOnce(E.Foreign ? LeftOut : Files, E.File);
  if (!E.Foreign)
    compileAs(Objects, E.File, E.Object);
}

void Unit::takeIn(const Unit &Other) {
  for (const std::string &File : Other.Files)
    addOnce(Files, File);
  for (const std::string &File : Other.LeftOut)
    addOnce(LeftOut, File);
  for (const auto &[File, Object] : Other.Objects)
    compileAs(Objects, File, Object);
}

std::string topologyOf(const Options &O, const Unit &U) {
  if (!O.Topology.empty())
    return O.Topology;
  if (!U.Topology.empty())
    return U.Topology;
  fs::path Beside = fs::path(U.Files.front()).parent_path() / "topology.json";
  return fs::exists(Beside) ? Beside.string() : "";
}

std::vector<Unit> unitsOf(const Options &O) {
  if (!O.Files.empty())
    return {{O.Files.front(), O.Files}};
  std::vector<DatabaseEntry> Entries = databaseEntries(O.BuildPath);
  bool Targets = std::any_of(Entries.begin(), Entries.end(), [](auto &E) { return !E.Target.empty(); });
  std::vector<Unit> Units = Targets ? byTarget(O.BuildPath, Entries) : byMain(Entries);
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
  return joinSystems(O, Entries, std::move(Units), Targets);
}

Unit together(const std::vector<Unit> &Units) {
  Unit All = Units.front();
  for (const Unit &U : Units)
    All.takeIn(U);
  return All;
}

Options optionsFor(const Options &O, const Unit &U) {
  Options Own = O;
  Own.Files = U.Files;
  Own.Objects = U.Objects;
  Own.Alone = U.Alone;
  if (U.Alone)
    Own.Topology.clear();
  else if (!U.Topology.empty())
    Own.Topology = U.Topology;
  return Own;
}

} // namespace rdma

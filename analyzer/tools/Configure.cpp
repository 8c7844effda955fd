#include "analyzer/tools/Configure.h"
#include "analyzer/tools/Database.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace rdma {
namespace {

namespace fs = std::filesystem;

bool isAbove(const fs::path &Outer, const fs::path &Inner) {
  const fs::path Folder = Outer.parent_path();
  return std::mismatch(Folder.begin(), Folder.end(), Inner.begin(), Inner.end()).first == Folder.end();
}

void sayWhichCounts(const std::set<std::string> &All, const std::string &Chosen) {
  for (const std::string &File : All)
    if (File != Chosen)
      std::cerr << "rdma-tidy: '" << File << "' is not read: a run has one configuration, "
                << (Chosen.empty() ? "and no file lies above all of them; --config-file names one"
                                   : "'" + Chosen + "'")
                << "\n";
}

/// A source of the database above which the configuration lies; else any.
std::string ofDatabase(const std::string &BuildPath) {
  std::map<std::string, std::string> Sources; ///< by the nearest file
  std::set<std::string> Files;
  const std::vector<DatabaseEntry> Entries = databaseEntries(BuildPath);
  for (const DatabaseEntry &E : Entries)
    if (std::string File = nearestConfigFile(E.File); !File.empty()) {
      Sources.try_emplace(File, E.File);
      Files.insert(File);
    }
  if (Files.empty())
    return Entries.front().File;
  auto Outermost = std::find_if(Files.begin(), Files.end(), [&](const std::string &Outer) {
    return std::all_of(Files.begin(), Files.end(), [&](auto &Inner) { return isAbove(Outer, Inner); });
  });
  if (Outermost != Files.end()) {
    sayWhichCounts(Files, *Outermost);
    return Sources[*Outermost];
  }
  // Beside each other: what counts is above them all.
  fs::path Folder = fs::path(*Files.begin()).parent_path();
  while (
      !std::all_of(Files.begin(), Files.end(), [&](auto &File) { return isAbove(Folder / "source", File); }))
    Folder = Folder.parent_path();
  sayWhichCounts(Files, nearestConfigFile((Folder / "source").string()));
  return (Folder / "source").string();
}

/// The source that the configuration is searched above.
std::string searchedFrom(const Options &O) {
  if (!O.Files.empty())
    return O.Files.front();
  return O.BuildPath.empty() ? "source" : ofDatabase(O.BuildPath);
}

} // namespace

Config configuration(const Options &O) {
  if (O.ConfigText && O.ConfigFile)
    throw UsageError("--config-file and --config are mutually exclusive");
  if ((!O.ConfigText || O.ConfigText->empty()) && !O.ConfigFile)
    return nearestConfig(searchedFrom(O));
  Config Given = O.ConfigFile ? readConfig(*O.ConfigFile) : parseConfig(*O.ConfigText, "--config", "");
  return Given.InheritParent ? joined(nearestConfig(searchedFrom(O)), Given) : Given;
}

void configure(Options &O, const Config &C) {
  if (C.Checks && !C.Checks->empty())
    O.Checks = O.Checks.empty() ? *C.Checks : *C.Checks + "," + O.Checks;
  // Around those of the command line.
  O.ExtraArgs.insert(O.ExtraArgs.end(), C.ExtraArgs.begin(), C.ExtraArgs.end());
  O.ExtraArgsBefore.insert(O.ExtraArgsBefore.begin(), C.ExtraArgsBefore.begin(), C.ExtraArgsBefore.end());
  if (O.Topology.empty())
    O.Topology = C.Topology.value_or("");
  if (O.Cache.empty())
    O.Cache = C.Cache.value_or("");
  O.OpenWorld |= C.OpenWorld.value_or(false);
  if (O.GivenModel)
    O.CpuModel = *O.GivenModel;
  else if (C.CpuModel && !C.CpuModel->empty())
    O.CpuModel = modelOption(*C.CpuModel);
}

} // namespace rdma

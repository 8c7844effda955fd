#include "analyzer/tools/Ends.h"

#include "analyzer/clang/Extract.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/Parallel.h"

#include <algorithm>
#include <cstdlib>

namespace rdma {
namespace {

namespace fs = std::filesystem;

using Ends = std::vector<std::optional<ShownEnd>>;

/// The only other program that may be at its other end.
std::optional<std::size_t> partnerOf(std::size_t U, const Ends &Shown) {
  std::optional<std::size_t> Only;
  for (std::size_t V = 0; V < Shown.size(); ++V)
    if (V != U && Shown[U] && Shown[V] && areEnds(*Shown[U], *Shown[V])) {
      if (Only)
        return std::nullopt;
      Only = V;
    }
  return Only;
}

} // namespace

RunCache::RunCache() {
  std::string Name = (fs::temp_directory_path() / "rdma-tidy-XXXXXX").string();
  if (!mkdtemp(Name.data()))
    throw UsageError("cannot make a folder in '" + fs::temp_directory_path().string() + "'");
  Folder = Name;
}

RunCache::~RunCache() {
  std::error_code Ignored;
  fs::remove_all(Folder, Ignored);
}

std::vector<Unit> joinEnds(const Options &O, std::vector<Unit> Units, unsigned Threads) {
  if (O.Assumption == "never" || O.OpenWorld || !O.Topology.empty())
    return Units;
  Ends Shown(Units.size());
  inParallel(Threads, Units.size(), [&](std::size_t U) {
    if (topologyOf(O, Units[U]).empty() && !Units[U].Alone)
      Shown[U] = shownEnd(extractionOptions(optionsFor(O, Units[U])));
  });
  std::vector<Unit> Joined;
  for (std::size_t U = 0; U < Units.size(); ++U) {
    const std::optional<std::size_t> Other = partnerOf(U, Shown);
    const bool Mutual = Other && partnerOf(*Other, Shown) == U;
    if (Mutual && *Other < U)
      continue;
    Joined.push_back(Units[U]);
    if (!Mutual)
      continue;
    Unit &System = Joined.back();
    const Unit &Second = Units[*Other];
    System.Name += " + " + Second.Name;
    for (const std::string &File : Second.Files)
      if (std::find(System.Files.begin(), System.Files.end(), File) == System.Files.end())
        System.Files.push_back(File);
    System.LeftOut.insert(System.LeftOut.end(), Second.LeftOut.begin(), Second.LeftOut.end());
  }
  return Joined;
}

} // namespace rdma

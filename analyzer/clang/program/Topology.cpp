#include "analyzer/clang/program/Topology.h"
#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <algorithm>

namespace rdma::clang_ir {
namespace {

/// The key that is this path; else all keys that may be.
template <class Map> auto keysFor(const Map &ByEntry, const std::string &Entry, const std::string &Path) {
  std::vector<typename Map::mapped_type::value_type> Found;
  auto Paths = ByEntry.find(Entry);
  if (Paths == ByEntry.end())
    return Found;
  if (auto Exact = Paths->second.find(Path); Exact != Paths->second.end()) {
    Found.push_back(*Exact);
    return Found;
  }
  for (const auto &Key : Paths->second)
    if (plainPath(Key.first) == plainPath(Path)) {
      Found.push_back(Key);
      return Found;
    }
  for (const auto &Key : Paths->second)
    if (pathMatches(Key.first, Path))
      Found.push_back(Key);
  return Found;
}

template <class T> void addOnce(std::vector<T> &All, const T &One) {
  if (std::find(All.begin(), All.end(), One) == All.end())
    All.push_back(One);
}

/// The values of these keys.
template <class Map> auto lookUp(const Map &ByEntry, const std::string &Entry, const std::string &Path) {
  std::vector<typename Map::mapped_type::mapped_type> Values;
  for (const auto &[Pattern, Value] : keysFor(ByEntry, Entry, Path))
    addOnce(Values, Value);
  return Values;
}

/// The variable that a path begins at.
std::string rootOf(const std::string &Path) {
  std::string Plain = plainPath(Path);
  return Plain.substr(0, Plain.find_first_of(".["));
}

/// "; did you mean 'a.qp'?", or some of all there are.
std::string candidates(const std::string &Key, const std::vector<std::string> &Known) {
  if (std::string Near = suggestion(Key, Known); !Near.empty())
    return Near;
  std::string Listed;
  for (std::size_t I = 0; I < Known.size() && I < 5; ++I)
    Listed += (I ? ", '" : "'") + Known[I] + "'";
  return "; it uses " + Listed + (Known.size() > 5 ? ", …" : "");
}

} // namespace

void PathsSeen::add(const std::string &Entry, const std::string &Path, const Site &Where) {
  if (!Path.empty())
    ByEntry[Entry].try_emplace(Path, Where);
}

std::vector<std::string> PathsSeen::of(const std::string &Entry) const {
  std::vector<std::string> Paths;
  if (auto Found = ByEntry.find(Entry); Found != ByEntry.end())
    for (const auto &[Path, Where] : Found->second)
      Paths.push_back(Path);
  return Paths;
}

unsigned Topology::programOf(const std::string &Node) const {
  for (const TopologyNode &N : Nodes)
    if (N.Name == Node)
      return N.Program;
  return 0;
}

std::string Topology::keyOf(const TopologyNode &Node, const std::string &Entry) const {
  auto another = [&](const TopologyNode &N) {
    return N.Sources != Node.Sources &&
           std::find(N.Entries.begin(), N.Entries.end(), Entry) != N.Entries.end();
  };
  return std::any_of(Nodes.begin(), Nodes.end(), another) ? Node.Name + ":" + Entry : Entry;
}

bool Topology::runsNothing(const std::string &Node) const {
  return std::any_of(Nodes.begin(), Nodes.end(),
                     [&](const TopologyNode &N) { return N.Name == Node && N.Entries.empty(); });
}

std::vector<std::string> Topology::peers(const std::string &Entry, const std::string &Path) const {
  return lookUp(QueuePairs, Entry, Path);
}

std::optional<CompletionFacts> Topology::completions(const std::string &Entry,
                                                     const std::string &Path) const {
  std::vector<CompletionFacts> Found;
  for (auto [Pattern, Facts] : keysFor(Completions, Entry, Path)) {
    for (std::string *Queue : {&Facts.SendCq, &Facts.RecvCq})
      *Queue = withIndicesOf(Path, Pattern, *Queue);
    addOnce(Found, Facts);
  }
  return Found.size() == 1 ? std::optional(Found.front()) : std::nullopt;
}

std::vector<RemoteName> Topology::regions(const std::string &Entry, const std::string &Path) const {
  return Path.empty() ? std::vector<RemoteName>() : lookUp(Regions, Entry, Path);
}

Place Topology::placeOf(const std::string &Word) const {
  if (auto Annotated = Places.find(Word); Annotated != Places.end())
    return Annotated->second;
  std::size_t At = Text.find('"' + Word + '"');
  if (At == std::string::npos)
    return {File, 0, 0, ""};
  std::size_t Start = Text.rfind('\n', At);
  unsigned Line = std::count(Text.begin(), Text.begin() + At, '\n') + 1;
  return {File, Line, static_cast<unsigned>(At - (Start == std::string::npos ? 0 : Start + 1) + 1), ""};
}

namespace {

/// Is every path that the entry uses said by some key? Then a key of no path is too many, not misspelt.
bool allSaid(const std::vector<std::string> &Known, const std::vector<std::string> &Keys) {
  return std::all_of(Known.begin(), Known.end(), [&](const std::string &Path) {
    return std::any_of(Keys.begin(), Keys.end(),
                       [&](const std::string &Key) { return pathMatches(Key, Path); });
  });
}

} // namespace

void Topology::require(const std::string &Entry, const std::vector<std::string> &Keys, const PathsInUse &All,
                       PathsSeen PathsInUse::*Kind, const std::string &What) const {
  std::vector<std::string> Known = (All.*Kind).of(Entry);
  if (Known.empty() || (All.*Kind).Unknown.count(Entry) || allSaid(Known, Keys))
    return;
  for (const std::string &Key : Keys)
    require(Entry, Key, Known, All, What);
}

void Topology::require(const std::string &Entry, const std::string &Key, std::vector<std::string> Known,
                       const PathsInUse &All, const std::string &What) const {
  if (std::any_of(Known.begin(), Known.end(), [&](auto &Path) { return pathMatches(Key, Path); }))
    return;
  auto Variables = All.Variables.find(Entry);
  if (Variables != All.Variables.end() && Variables->second.count(rootOf(Key))) {
    // Requests may complete at a queue that the entry leaves to others.
    if (What == "completion queue")
      return;
    std::erase_if(Known, [&](auto &Path) { return rootOf(Path) != rootOf(Key); });
    if (nearest(Key, Known).empty())
      return;
  }
  throw InputError(placeOf(Key),
                   "'" + Key + "' is no " + What + " that '" + Entry + "' uses" + candidates(Key, Known));
}

void Topology::requireUse(const PathsInUse &Seen) const {
  auto keys = [](const auto &Paths) {
    std::vector<std::string> Keys;
    for (const auto &[Path, Value] : Paths)
      Keys.push_back(Path);
    return Keys;
  };
  for (const auto &[Entry, Paths] : QueuePairs)
    require(Entry, keys(Paths), Seen, &PathsInUse::QueuePairs, "queue pair");
  for (const auto &[Entry, Paths] : Completions) {
    std::vector<std::string> Queues;
    for (const auto &[Path, Facts] : Paths)
      for (const std::string &Queue : {Facts.SendCq, Facts.RecvCq})
        if (!Queue.empty())
          Queues.push_back(Queue);
    require(Entry, Queues, Seen, &PathsInUse::Queues, "completion queue");
  }
  for (const auto &[Entry, Paths] : Regions)
    require(Entry, keys(Paths), Seen, &PathsInUse::Regions, "remote address");
}

} // namespace rdma::clang_ir

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

std::optional<Place> TopologyPlaces::key(Trail At) const {
  for (; !At.empty(); At.pop_back())
    if (auto Found = Keys.find(At); Found != Keys.end())
      return Found->second;
  return std::nullopt;
}

std::optional<Place> TopologyPlaces::value(Trail At) const {
  auto Found = Values.find(At);
  return Found != Values.end() ? std::optional(Found->second) : key(std::move(At));
}

void Topology::isOf(const std::string &Source) {
  File = Source;
  Places = {};
}

Place Topology::placeOf(const std::string &Word) const {
  auto Found = Places.Words.find(Word);
  return Found != Places.Words.end() ? Found->second : Place{File, 0, 0, ""};
}

Place Topology::placeOf(const RemoteName &Region) const {
  std::optional<Place> First;
  for (const auto &[Entry, Paths] : Regions)
    for (const auto &[Path, Remote] : Paths)
      if (std::optional<Place> Next; Remote == Region && (Next = Places.value({"regions", Entry, Path})))
        if (!First || std::pair(Next->Line, Next->Column) < std::pair(First->Line, First->Column))
          First = Next;
  return First.value_or(Place{File, 0, 0, ""});
}

namespace {

/// Is every path that the entry uses said by some key? Then a key of no path is too many, not misspelt.
bool allSaid(const std::vector<std::string> &Known, const std::vector<std::pair<std::string, Place>> &Keys) {
  return std::all_of(Known.begin(), Known.end(), [&](const std::string &Path) {
    return std::any_of(Keys.begin(), Keys.end(),
                       [&](const auto &Key) { return pathMatches(Key.first, Path); });
  });
}

} // namespace

void Topology::require(const std::string &Entry, const PathsSaid &Keys, const PathsInUse &All,
                       PathsSeen PathsInUse::*Kind, const std::string &What) const {
  std::vector<std::string> Known = (All.*Kind).of(Entry);
  if (Known.empty() || (All.*Kind).Unknown.count(Entry) || allSaid(Known, Keys))
    return;
  for (const auto &Key : Keys)
    require(Entry, Key, Known, All, What);
}

void Topology::require(const std::string &Entry, const std::pair<std::string, Place> &Path,
                       std::vector<std::string> Known, const PathsInUse &All, const std::string &What) const {
  const std::string &Key = Path.first;
  if (std::any_of(Known.begin(), Known.end(), [&](auto &Used) { return pathMatches(Key, Used); }))
    return;
  auto Variables = All.Variables.find(Entry);
  if (Variables != All.Variables.end() && Variables->second.count(rootOf(Key))) {
    // Requests may complete at a queue that the entry leaves to others.
    if (What == "completion queue")
      return;
    std::erase_if(Known, [&](auto &Used) { return rootOf(Used) != rootOf(Key); });
    if (nearest(Key, Known).empty())
      return;
  }
  throw InputError(Path.second,
                   "'" + Key + "' is no " + What + " that '" + Entry + "' uses" + candidates(Key, Known));
}

void Topology::requireUse(const PathsInUse &Seen) const {
  auto orFile = [&](const std::optional<Place> &Known) { return Known.value_or(Place{File, 0, 0, ""}); };
  auto keys = [&](const std::string &Kind, const std::string &Entry, const auto &Paths) {
    PathsSaid Keys;
    for (const auto &[Path, Value] : Paths)
      Keys.emplace_back(Path, orFile(Places.key({Kind, Entry, Path})));
    return Keys;
  };
  for (const auto &[Entry, Paths] : QueuePairs)
    require(Entry, keys("queue_pairs", Entry, Paths), Seen, &PathsInUse::QueuePairs, "queue pair");
  for (const auto &[Entry, Paths] : Completions) {
    PathsSaid Queues;
    for (const auto &[Path, Facts] : Paths)
      for (bool OfReceives : {false, true})
        if (const std::string &Queue = Facts.queue(OfReceives); !Queue.empty())
          Queues.emplace_back(
              Queue, orFile(Places.value({"queue_pairs", Entry, Path, OfReceives ? "recv_cq" : "send_cq"})));
    require(Entry, Queues, Seen, &PathsInUse::Queues, "completion queue");
  }
  for (const auto &[Entry, Paths] : Regions)
    require(Entry, keys("regions", Entry, Paths), Seen, &PathsInUse::Regions, "remote address");
}

} // namespace rdma::clang_ir

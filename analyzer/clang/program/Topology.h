// The topology file: which nodes there are, which functions run on them, what is at the other end.
//
//   { "nodes": { "server": { "entries": ["run_server"] }, "client": { "count": 2, "entries": ["run_client"] }
//   },
//     "queue_pairs": { "run_client": { "a.qp": "server" } },
//     "regions": { "run_client": { "a.remote_addr": "server:page" } } }
//
// A queue pair whose creation is not among the sources may say where its completions arrive:
//     "a.qp": { "node": "server", "send_cq": "a.cq", "recv_cq": "a.received", "sq_sig_all": false }
// Where it leads to one of several nodes of a kind, "server#2" says which: the second.
// A poll of its "recv_cq", where that is another queue than its "send_cq", then takes receives only.
// What is listed as "assumed", as a topology that the tool wrote does, withholds *robust* until it is taken
// away. Functions that are not among the sources, and that the user knows to neither post, poll, nor order
// what is posted, nor to touch more than what they are given while they run, are listed as "setup":
// ["connect_to", "close_connection"].
// [*] stands for any element of an array, and in the names of completion queues for the one that the path of
// the queue pair has. A count of "*" or 0 means any number.
//
// Where client and server are programs of their own, each node says which "sources" make its program:
//     "client": { "entries": ["main"], "sources": ["client.c", "common.c"] }
// An entry that two programs have is told apart by its node: "client:main" in queue_pairs and regions.
//
// Paths are written as in the source (Paths.h says what is the same). A path that the entry does not use is
// an error. Comments are allowed, as in C.
#pragma once

#include "analyzer/clang/program/Paths.h"
#include "ir/Program.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rdma::clang_ir {

struct TopologyNode {
  std::string Name;
  unsigned Count = 1; ///< 0: any number
  std::vector<std::string> Entries;
  std::vector<std::string> Sources; ///< empty: those that no node names
  unsigned Program = 0;             ///< of those that programsOf returns
  bool ToldApart = false;           ///< some queue pair leads to one of them by its number
  /// Does a node stand for others of its kind, too?
  bool standsForMore() const { return Count != 1 && Count != 2 && !ToldApart; }
};

struct RemoteName {
  std::string Node, Object;
  bool operator==(const RemoteName &) const = default;
};

/// What the topology says of a queue pair's completions.
struct CompletionFacts {
  std::string SendCq, RecvCq; ///< empty: not said
  std::optional<bool> SqSigAll;
  const std::string &queue(bool OfReceives) const { return OfReceives ? RecvCq : SendCq; }
  bool operator==(const CompletionFacts &) const = default;
};

/// Paths that the entries use, with where they do so first.
struct PathsSeen {
  void add(const std::string &Entry, const std::string &Path, const Site &Where);
  /// The entry uses one whose path is not known: it may be any.
  void addUnknown(const std::string &Entry, const Site &Where) { Unknown[Entry].push_back(Where); }
  std::vector<std::string> of(const std::string &Entry) const;
  std::map<std::string, std::map<std::string, Site>> ByEntry;
  std::map<std::string, std::vector<Site>> Unknown; ///< by entry
};

struct PathsInUse {
  PathsSeen QueuePairs, Queues, Regions;
  std::map<std::string, std::set<std::string>> Variables; ///< by entry: those it can name
};

/// Where a topology says what.
struct TopologyPlaces {
  using Trail = std::vector<std::string>; ///< the keys that lead to it: regions, run, a.remote_addr
  std::map<Trail, Place> Keys, Values;
  std::map<std::string, Place> Words; ///< of keys and texts, where they stand first

  /// Of the value there; of its key, or the nearest around it, where that has none of its own.
  std::optional<Place> value(Trail At) const;
  std::optional<Place> key(Trail At) const;
};

struct Topology {
  std::string File; ///< empty: there is none
  TopologyPlaces Places;
  std::vector<TopologyNode> Nodes;
  std::map<std::string, std::map<std::string, std::string>> QueuePairs; ///< entry, path -> node, or node#1
  std::map<std::string, std::map<std::string, CompletionFacts>> Completions; ///< entry, queue pair's path
  std::map<std::string, std::map<std::string, RemoteName>> Regions;          ///< entry, path -> node:object
  std::vector<std::string> Assumed; ///< what nobody has looked at yet: it withholds *robust*
  std::set<std::string> Setup;      ///< functions outside the sources that do nothing that matters

  bool given() const { return !File.empty(); }
  /// Is it one of Setup? With its parameters, as in "connect_to(char const*)", or without.
  bool listsSetup(const std::string &Spelled) const {
    return Setup.count(Spelled.substr(0, Spelled.find('('))) != 0;
  }
  unsigned programOf(const std::string &Node) const;
  /// Is it a node of which no entry is named?
  bool runsNothing(const std::string &Node) const;
  /// What the maps by entry call it: "main", or "client:main" where nodes of other sources have one too.
  std::string keyOf(const TopologyNode &Node, const std::string &Entry) const;
  /// A path with an open index may be what several keys say.
  std::vector<std::string> peers(const std::string &Entry, const std::string &Path) const;
  std::optional<CompletionFacts> completions(const std::string &Entry, const std::string &Path) const;
  std::vector<RemoteName> regions(const std::string &Entry, const std::string &Path) const;

  /// Throws InputError, with the nearest, for a path of no variable of the entry, or like one that it does
  /// use and that no key says. What the entry could post to and does not is fine, and so is a key too many.
  void requireUse(const PathsInUse &Seen) const;
  /// No file says this: its places are the source that shows it.
  void isOf(const std::string &Source);
  /// Where it says "Word" first.
  Place placeOf(const std::string &Word) const;
  /// Where it says first that a remote address leads there.
  Place placeOf(const RemoteName &Region) const;

private:
  using PathsSaid = std::vector<std::pair<std::string, Place>>;
  void require(const std::string &Entry, const PathsSaid &Keys, const PathsInUse &All,
               PathsSeen PathsInUse::*Kind, const std::string &What) const;
  void require(const std::string &Entry, const std::pair<std::string, Place> &Key,
               std::vector<std::string> Known, const PathsInUse &All, const std::string &What) const;
};

/// Throws InputError, with the place, for broken JSON and for a topology that contradicts itself. Contents
/// stands for the file when it is set, Annotated for where annotations say what is in it.
Topology readTopology(const std::string &File, const std::optional<std::string> &Contents,
                      const std::optional<TopologyPlaces> &Annotated = std::nullopt);

/// The sources of each program that the nodes run, as they stand in Files; says of each node which it is.
/// Throws InputError, with the nearest, for a source that is not among them, and for one that no node has.
std::vector<std::vector<std::string>> programsOf(Topology &T, const std::vector<std::string> &Files);

} // namespace rdma::clang_ir

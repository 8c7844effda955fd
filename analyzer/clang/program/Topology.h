// The topology file: which nodes there are, which functions run on them, what is at the other end.
//
//   { "nodes": { "server": { "entries": ["run_server"] }, "client": { "count": 2, "entries": ["run_client"] }
//   },
//     "queue_pairs": { "run_client": { "a.qp": "server" } },
//     "regions": { "run_client": { "a.remote_addr": "server:page" } } }
//
// A queue pair whose creation is not among the sources may say where its completions arrive:
//     "a.qp": { "node": "server", "send_cq": "a.cq", "sq_sig_all": false }
// Functions that are not among the sources, and that the user knows to neither post, poll, nor order what is
// posted, are listed as "setup": ["connect_to", "close_connection"].
// Paths are written as in the entry function; [*] stands for any element of an array. A count of "*" or 0
// means any number.
#pragma once

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
};

struct RemoteName {
  std::string Node, Object;
};

/// What the topology says of a queue pair's completions.
struct CompletionFacts {
  std::string SendCq;
  std::optional<bool> SqSigAll;
};

struct Topology {
  std::string File; ///< empty: there is none
  std::vector<TopologyNode> Nodes;
  std::map<std::string, std::map<std::string, std::string>> QueuePairs;      ///< entry, path -> node
  std::map<std::string, std::map<std::string, CompletionFacts>> Completions; ///< entry, queue pair's path
  std::map<std::string, std::map<std::string, RemoteName>> Regions;          ///< entry, path -> node:object
  std::set<std::string> Setup; ///< functions outside the sources that do nothing that matters

  bool given() const { return !File.empty(); }
  std::optional<std::string> peer(const std::string &Entry, const std::string &Path) const;
  std::optional<CompletionFacts> completions(const std::string &Entry, const std::string &Path) const;
  std::optional<RemoteName> region(const std::string &Entry, const std::string &Path) const;
};

/// Throws InputError with the line for broken JSON, and with the file's name for a topology that contradicts
/// itself. Contents stands for the file when it is set.
Topology readTopology(const std::string &File, const std::optional<std::string> &Contents);

/// Is Path what Pattern says? [*] in either agrees with every index.
bool pathMatches(const std::string &Pattern, const std::string &Path);

} // namespace rdma::clang_ir

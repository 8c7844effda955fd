#include "analyzer/clang/program/WriteTopology.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace rdma::clang_ir {
namespace {

std::string quoted(const std::string &Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string entryName(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getName().str() : F.getName().str();
}

/// run_server, server_main and start_server are of the node "server".
std::string nodeName(std::string Name) {
  for (const char *Prefix : {"run_", "do_", "start_", "run"})
    if (Name.rfind(Prefix, 0) == 0 && Name.size() > std::string(Prefix).size())
      Name.erase(0, std::string(Prefix).size());
  for (const char *Suffix : {"_main", "_loop", "_run"})
    if (llvm::StringRef(Name).ends_with(Suffix) && Name.size() > std::string(Suffix).size())
      Name.erase(Name.size() - std::string(Suffix).size());
  return Name;
}

/// The JSON text of an object, those members in front that wait to be completed.
class Block {
public:
  explicit Block(unsigned Indent) : Indent(Indent, ' ') {}
  void add(const std::string &Member, const std::string &Why) { Known.push_back({Member, Why}); }
  void open(const std::string &Member, const std::string &Why) { Open.push_back({Member, Why}); }
  bool empty() const { return Known.empty() && Open.empty(); }
  std::string text() const {
    std::string Text;
    for (std::size_t I = 0; I < Open.size(); ++I)
      Text += Indent + "// " + Open[I].first + (I + 1 < Open.size() || !Known.empty() ? ", // " : " // ") +
              Open[I].second + "\n";
    for (std::size_t I = 0; I < Known.size(); ++I)
      Text += Indent + Known[I].first + (I + 1 < Known.size() ? "," : "") +
              (Known[I].second.empty() ? "" : " // " + Known[I].second) + "\n";
    return Text;
  }

private:
  std::string Indent;
  std::vector<std::pair<std::string, std::string>> Known, Open;
};

class Writer {
public:
  Writer(const Topology &T, const FoundProgram &Found) : T(T), Found(Found) {}

  std::string text() {
    std::string Pairs = ofEntries(Found.Paths->QueuePairs, &Writer::pairs),
                Regions = ofEntries(Found.Paths->Regions, &Writer::regions);
    std::string Text = "// Who runs where, as far as the sources show it. Complete what is a comment, then "
                       "take away \"assumed\":\n// while it is here, nothing is called robust.\n{\n";
    Text += "  \"assumed\": [\n";
    if (Assumed.empty())
      Assumed.insert("these functions run on these nodes, and nothing else does");
    for (auto I = Assumed.begin(); I != Assumed.end(); ++I)
      Text += "    " + quoted(*I) + (std::next(I) == Assumed.end() ? "\n" : ",\n");
    Text += "  ],\n  \"nodes\": {\n" + nodes() + "  }";
    if (!Pairs.empty())
      Text += ",\n  // \"PATH OF A QUEUE PAIR\": \"node at its other end\"\n  \"queue_pairs\": {\n" + Pairs +
              "  }";
    if (!Regions.empty())
      Text +=
          ",\n  // \"PATH OF A REMOTE ADDRESS\": \"node:memory there\"\n  \"regions\": {\n" + Regions + "  }";
    return Text + "\n}\n";
  }

private:
  std::string nodes() const {
    Block All(4);
    for (const TopologyNode &N : T.Nodes) {
      std::string Entries;
      for (const std::string &Entry : N.Entries)
        Entries += (Entries.empty() ? "" : ", ") + quoted(Entry);
      All.add(quoted(N.Name) + ": { \"count\": " + std::to_string(N.Count) + ", \"entries\": [" + Entries +
                  "] }",
              N.Count == 1 ? "\"*\": any number of them" : "");
    }
    return All.text();
  }

  std::string ofEntries(const PathsSeen &Paths,
                        void (Writer::*Write)(const std::string &, const Role &, Block &)) {
    std::string Text;
    std::vector<std::string> Parts;
    for (const Role &R : Found.Roles) {
      Block Own(6);
      if (Paths.ByEntry.count(entryName(*R.F)))
        (this->*Write)(entryName(*R.F), R, Own);
      if (!Own.empty())
        Parts.push_back("    " + quoted(entryName(*R.F)) + ": {\n" + Own.text() + "    }");
    }
    for (std::size_t I = 0; I < Parts.size(); ++I)
      Text += Parts[I] + (I + 1 < Parts.size() ? ",\n" : "\n");
    return Text;
  }

  static std::string placeOf(const Site &At) {
    if (At.Chain.empty())
      return "";
    return llvm::sys::path::filename(At.Chain.front().File).str() + ":" +
           std::to_string(At.Chain.front().Line);
  }

  /// The role at the other end, and why.
  const Role *other(const Role &R, std::string &Why) const {
    std::vector<const Role *> Fitting;
    for (const Role &O : Found.Roles)
      if (O.F != R.F &&
          ((R.Connects && O.Accepts && !O.Connects) || (R.Accepts && O.Connects && !R.Connects)))
        Fitting.push_back(&O);
    auto Both = [Mine = entryName(*R.F)](const Role &O) {
      std::string Yours = entryName(*O.F);
      return "'" + std::min(Mine, Yours) + "' and '" + std::max(Mine, Yours) + "' ";
    };
    if (Fitting.size() == 1) {
      Why = Both(*Fitting[0]) + "connect to each other by rdma_connect and rdma_accept";
      return Fitting[0];
    }
    if (!Found.HasMain || Found.Roles.size() != 2)
      return nullptr;
    const Role &O = Found.Roles[Found.Roles[0].F == R.F];
    Why = Both(O) + "are the two ends: ";
    for (const std::string &Struct : R.Numbered)
      if (O.Numbered.count(Struct)) {
        Why += "both put the number of their queue pair into '" + Struct + "'";
        return &O;
      }
    Why += "main chooses between them";
    return &O;
  }

  std::string nodeOf(const Role &R) const {
    for (const TopologyNode &N : T.Nodes)
      if (std::find(N.Entries.begin(), N.Entries.end(), entryName(*R.F)) != N.Entries.end())
        return N.Name;
    return "";
  }

  void pairs(const std::string &Entry, const Role &R, Block &Into) {
    std::string Why;
    const Role *Other = other(R, Why);
    for (const auto &[Path, At] : Found.Paths->QueuePairs.ByEntry.at(Entry)) {
      if (Other) {
        Assumed.insert(Why);
        Into.add(quoted(Path) + ": " + quoted(nodeOf(*Other)), "posted to at " + placeOf(At));
      } else {
        Into.open(quoted(Path) + ": \"NODE\"", "posted to at " + placeOf(At));
      }
    }
  }

  void regions(const std::string &Entry, const Role &R, Block &Into) {
    std::string Why;
    const Role *Other = other(R, Why);
    for (const auto &[Path, At] : Found.Paths->Regions.ByEntry.at(Entry)) {
      std::string Node = Other ? nodeOf(*Other) : "NODE";
      std::set<std::string> Memory;
      if (Other && Found.Members->count(Entry) && Found.Members->count(entryName(*Other->F)))
        Memory = memoryBehind(Path, Found.Members->at(Entry), Found.Members->at(entryName(*Other->F)));
      if (Memory.size() != 1) {
        Into.open(quoted(Path) + ": " + quoted(Node + ":MEMORY"), "used at " + placeOf(At));
        continue;
      }
      Assumed.insert("'" + Path + "' of '" + Entry + "' is the address of '" + *Memory.begin() +
                     "', which '" + entryName(*Other->F) + "' puts into the same member");
      Into.add(quoted(Path) + ": " + quoted(Node + ":" + *Memory.begin()), "used at " + placeOf(At));
    }
  }

  const Topology &T;
  const FoundProgram &Found;
  std::set<std::string> Assumed;
};

} // namespace

Topology nodesOf(const std::vector<Role> &Roles, bool HasMain) {
  Topology T;
  if (!HasMain || Roles.size() == 1) {
    // Each function of a library runs on the one node; a program that is both ends runs twice.
    TopologyNode N{HasMain ? "node" : "user", HasMain ? 2u : 1u, {}, {}};
    for (const Role &R : Roles)
      N.Entries.push_back(entryName(*R.F));
    T.Nodes.push_back(std::move(N));
    return T;
  }
  std::set<std::string> Names;
  for (const Role &R : Roles) {
    std::string Name = nodeName(entryName(*R.F));
    T.Nodes.push_back({Names.insert(Name).second ? Name : entryName(*R.F), 1, {entryName(*R.F)}, {}});
  }
  return T;
}

std::string writeTopology(const Topology &Nodes, const FoundProgram &Found) {
  return Writer(Nodes, Found).text();
}

} // namespace rdma::clang_ir

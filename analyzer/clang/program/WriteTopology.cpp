#include "analyzer/clang/program/WriteTopology.h"
#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace rdma::clang_ir {
namespace {

std::string quoted(const std::string &Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

bool isPlain(const std::string &Name) {
  return !Name.empty() &&
         llvm::all_of(Name, [](unsigned char C) { return std::isalnum(C) || C == '_' || C >= 0x80; });
}

/// Of functions with one name, Client::run is of the node "Client" and the one in client.c of "client".
std::string nodeOfRole(const Role &R) {
  const std::string Short = sourceName(*R.F), Whole = qualifiedName(*R.F);
  if (R.name() != Short) {
    const std::size_t End = Whole.rfind("::" + Short);
    const std::string Scopes = End == std::string::npos ? "" : Whole.substr(0, End);
    const std::string Scope = Scopes.substr(Scopes.rfind(':') + 1);
    const llvm::DISubprogram *Program = R.F->getSubprogram();
    if (isPlain(Short) && isPlain(Scope))
      return Scope;
    if (Scopes.empty() && Program && llvm::StringRef(R.name()).ends_with(":" + Short))
      return llvm::sys::path::stem(Program->getFilename()).str();
  }
  return isPlain(Short) ? nodeName(Short) : "role";
}

/// client/main.c and server/main.c are the nodes "client" and "server"; client.c and server.c are, too.
std::string nodeOfSource(const FoundProgram &Found, unsigned Program) {
  auto stem = [&](unsigned P) { return llvm::sys::path::stem(Found.Sources[P].front()).str(); };
  bool Alone = true;
  for (unsigned P = 0; P < Found.Sources.size(); ++P)
    Alone &= P == Program || stem(P) != stem(Program);
  std::string Folder =
      llvm::sys::path::filename(llvm::sys::path::parent_path(Found.Sources[Program].front())).str();
  if (Alone && stem(Program) != "main")
    return stem(Program);
  return Folder.empty() || Folder == "." ? stem(Program) + std::to_string(Program + 1) : Folder;
}

/// As a topology in this folder names the source; an absolute path stays one unless it lies there or below.
std::string seenFrom(const std::optional<std::string> &Folder, const std::string &Source) {
  namespace fs = std::filesystem;
  if (!Folder)
    return Source;
  std::error_code Failed;
  const fs::path Whole = fs::weakly_canonical(fs::absolute(Source), Failed),
                 From = fs::weakly_canonical(fs::absolute(Folder->empty() ? "." : *Folder), Failed);
  const std::string Relative = Whole.lexically_relative(From).string();
  return Relative.empty() || (fs::path(Source).is_absolute() && Relative.starts_with("..")) ? Source
                                                                                            : Relative;
}

/// The JSON text of an object: what no member can say, then those members that wait to be completed.
class Block {
public:
  explicit Block(unsigned Indent) : Indent(Indent, ' ') {}
  void add(const std::string &Member, const std::string &Why) { Known.push_back({Member, Why}); }
  void open(const std::string &Member, const std::string &Why) { Open.push_back({Member, Why}); }
  void note(const std::string &Text) { Notes.insert(Text); }
  std::size_t size() const { return Known.size() + Open.size(); }
  std::size_t waiting() const { return Open.size(); }
  bool empty() const { return Known.empty() && Open.empty() && Notes.empty(); }
  std::string text() const {
    std::string Text;
    for (const std::string &Note : Notes)
      Text += Indent + "// " + Note + "\n";
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
  std::set<std::string> Notes;
};

/// The role at the other end, and why.
const Role *other(const FoundProgram &Found, const Role &R, std::string &Why) {
  std::vector<const Role *> Fitting;
  for (const Role &O : Found.Roles)
    if (O.F != R.F && ((R.End.Connects && O.End.Accepts && !O.End.Connects) ||
                       (R.End.Accepts && O.End.Connects && !R.End.Connects)))
      Fitting.push_back(&O);
  auto named = [&](const Role &X) { return Found.Sources.empty() ? X.name() : X.name() + " of " + X.Node; };
  auto Both = [&, Mine = named(R)](const Role &O) {
    std::string Yours = named(O);
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
  for (const std::string &Struct : R.End.Numbered)
    if (O.End.Numbered.count(Struct)) {
      Why += "both put the number of their queue pair into '" + Struct + "'";
      return &O;
    }
  Why += Found.Sources.empty() ? "main chooses between them" : "they are the two programs given";
  return &O;
}

class Writer {
public:
  Writer(const Topology &T, const FoundProgram &Found) : T(T), Found(Found) {}

  ProposedTopology proposed() {
    ProposedTopology All{text(), T.Nodes.size(), 0, Paths, Open};
    for (const TopologyNode &N : T.Nodes)
      All.Entries += N.Entries.size();
    return All;
  }

private:
  std::string text() {
    std::string Pairs = ofEntries(Found.Paths->QueuePairs, "a queue pair", "posted to at ", &Writer::pairs),
                Regions = ofEntries(Found.Paths->Regions, "a remote address", "used at ", &Writer::regions);
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

  /// What the topology's maps call it.
  std::string keyOf(const Role &R) const {
    for (const TopologyNode &N : T.Nodes)
      if (N.Name == R.Node)
        return T.keyOf(N, R.name());
    return R.name();
  }

  std::string nodes() const {
    Block All(4);
    for (const TopologyNode &N : T.Nodes) {
      std::string Entries;
      for (const std::string &Entry : N.Entries)
        Entries += (Entries.empty() ? "" : ", ") + quoted(Entry);
      std::string Sources;
      for (const std::string &Source : N.Sources)
        Sources += (Sources.empty() ? ", \"sources\": [" : ", ") + quoted(seenFrom(Found.Folder, Source));
      All.add(quoted(N.Name) + ": { \"count\": " + std::to_string(N.Count) + ", \"entries\": [" + Entries +
                  "]" + Sources + (Sources.empty() ? " }" : "] }"),
              N.Count == 1 ? "\"*\": any number of them" : "");
    }
    return All.text();
  }

  std::string ofEntries(const PathsSeen &Seen, const std::string &What, const std::string &Used,
                        void (Writer::*Write)(const std::string &, const Role &, Block &)) {
    std::string Text;
    std::vector<std::string> Parts;
    for (const Role &R : Found.Roles) {
      Block Own(6);
      if (Seen.ByEntry.count(keyOf(R)))
        (this->*Write)(keyOf(R), R, Own);
      if (auto Unknown = Seen.Unknown.find(keyOf(R)); Unknown != Seen.Unknown.end())
        for (const Site &At : Unknown->second)
          Own.note(Used + placeOf(At) + ": " + What + " that no path names");
      Paths += Own.size();
      Open += Own.waiting();
      if (!Own.empty())
        Parts.push_back("    " + quoted(keyOf(R)) + ": {\n" + Own.text() + "    }");
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

  /// Not what only the compiler has a name for, as a temporary or what it says of a type.
  static bool isOfSources(const std::string &Path) {
    return Path != "temporary" && !Path.starts_with("temporary.") && !Path.starts_with("typeinfo ") &&
           !Path.starts_with("vtable ");
  }

  void pairs(const std::string &Entry, const Role &R, Block &Into) {
    std::string Why;
    const Role *Other = other(Found, R, Why);
    for (const auto &[Path, At] : Found.Paths->QueuePairs.ByEntry.at(Entry)) {
      if (!isOfSources(Path))
        continue;
      if (Other) {
        Assumed.insert(Why);
        Into.add(quoted(Path) + ": " + quoted(Other->Node), "posted to at " + placeOf(At));
      } else {
        Into.open(quoted(Path) + ": \"NODE\"", "posted to at " + placeOf(At));
      }
    }
  }

  void regions(const std::string &Entry, const Role &R, Block &Into) {
    std::string Why;
    const Role *Other = other(Found, R, Why);
    for (const auto &[Path, At] : Found.Paths->Regions.ByEntry.at(Entry)) {
      if (!isOfSources(Path))
        continue;
      std::string Node = Other ? Other->Node : "NODE";
      std::set<std::string> Memory;
      if (Other && Found.Members->count(Entry) && Found.Members->count(keyOf(*Other)))
        Memory = memoryBehind(Path, Found.Members->at(Entry), Found.Members->at(keyOf(*Other)));
      if (Memory.size() != 1) {
        Into.open(quoted(Path) + ": " + quoted(Node + ":MEMORY"), "used at " + placeOf(At));
        continue;
      }
      Assumed.insert("'" + Path + "' of '" + Entry + "' is the address of '" + *Memory.begin() +
                     "', which '" + keyOf(*Other) + "' puts into the same member");
      Into.add(quoted(Path) + ": " + quoted(Node + ":" + *Memory.begin()), "used at " + placeOf(At));
    }
  }

  const Topology &T;
  const FoundProgram &Found;
  std::set<std::string> Assumed;
  std::size_t Paths = 0, Open = 0;
};

} // namespace

Topology nodesOf(FoundProgram &Found) {
  Topology T;
  auto add = [&](Role &R, const std::string &Name) {
    auto isTaken = [&] {
      return std::any_of(T.Nodes.begin(), T.Nodes.end(), [&](auto &N) { return N.Name == R.Node; });
    };
    R.Node = Name;
    for (unsigned Next = 2; isTaken(); ++Next)
      R.Node = Name + std::to_string(Next);
    T.Nodes.push_back({R.Node, 1, {R.name()}, {}});
    if (!Found.Sources.empty()) {
      T.Nodes.back().Sources = Found.Sources[R.Program];
      T.Nodes.back().Program = R.Program;
    }
  };
  if (!Found.Sources.empty()) {
    for (Role &R : Found.Roles)
      add(R, R.name() == "main" ? nodeOfSource(Found, R.Program) : nodeOfRole(R));
    return T;
  }
  if (!Found.HasMain || Found.Roles.size() == 1) {
    // Each function of a library runs on the one node; a program that is both ends runs twice.
    TopologyNode N{Found.HasMain ? "node" : "user", Found.HasMain ? 2u : 1u, {}, {}};
    for (Role &R : Found.Roles) {
      R.Node = N.Name;
      N.Entries.push_back(R.name());
    }
    T.Nodes.push_back(std::move(N));
    return T;
  }
  for (Role &R : Found.Roles)
    add(R, nodeOfRole(R));
  return T;
}

bool showsEnds(const FoundProgram &Found) {
  if (Found.Roles.size() != 2 || !Found.HasMain)
    return false;
  if (!Found.Sources.empty())
    return true;
  const ShownEnd &A = Found.Roles[0].End, &B = Found.Roles[1].End;
  return (A.Connects && B.Accepts && !B.Connects && !A.Accepts) ||
         (A.Accepts && B.Connects && !A.Connects && !B.Accepts) ||
         std::any_of(A.Numbered.begin(), A.Numbered.end(),
                     [&](const std::string &Struct) { return B.Numbered.count(Struct); });
}

ProposedTopology writeTopology(const Topology &Nodes, const FoundProgram &Found) {
  return Writer(Nodes, Found).proposed();
}

} // namespace rdma::clang_ir

// From C and C++ sources to the RDMA program.
//
// The sources are compiled to LLVM IR in process and linked; everything below each thread's entry function is
// inlined into it; what is left of verbs calls and of loads and stores becomes statements. README.md says
// what is taken for granted on the way.
#pragma once

#include "ir/Program.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rdma {

struct ExtractionOptions {
  std::vector<std::string> Files; ///< analysed as one program
  /// Folder with compile_commands.json; empty: the nearest one above the first file, if any.
  std::string BuildPath;
  /// Compile flags that stand for the compilation database (what follows `--`) when HasFlags is set.
  std::vector<std::string> Flags;
  bool HasFlags = false;
  std::vector<std::string> ExtraArgsBefore; ///< put in front of the flags of every file
  std::vector<std::string> ExtraArgs;       ///< appended to them
  /// Empty: topology.json beside the first file, if there is one.
  std::string TopologyFile;
  /// Without a topology: when to take the one that proposeTopology writes, which is only assumed. Shown:
  /// where the sources show who is at the two ends, and nothing of `main` is left out by it.
  enum class Assume { Never, Shown, Always } Assumption = Assume::Shown;
  /// The file is one of several: neither a topology beside it nor what it shows by itself says who runs
  /// where.
  bool Part = false;
  bool OpenWorld = false;
  /// By a target of the compile database: its sources. A topology may name it among the "sources" of a node.
  std::map<std::string, std::vector<std::string>> Targets;
  /// By source that the compile database has several commands for: what is made of it (an absolute path) by
  /// the one to read it with. Empty or missing: the first is taken, and a remark says so if they differ.
  std::map<std::string, std::string> Objects;
  /// Compiled sources are kept in this folder, and taken from there while nothing has changed; empty:
  /// nowhere.
  std::string CacheFolder;
  /// Compile the headers of the system that files begin with once for all extractions of the process.
  bool ShareHeaders = false;
  /// File name, as in Files or #include, to contents that stand for what is on disk.
  std::map<std::string, std::string> Overlay;
};

struct Extraction {
  Program Code;
  unsigned Operations = 0;      ///< remote operations and polls
  unsigned UnresolvedSites = 0; ///< places with a remark
};

/// Throws InputError (ir/Litmus.h): a missing file, the first compile error, a broken topology file, a
/// topology that names a function that is not there.
Extraction extract(const ExtractionOptions &Options);

/// A topology file with every path found and what the sources show of the other ends, marked as assumed; the
/// rest as comments.
struct ProposedTopology {
  std::string Text;
  std::size_t Nodes = 0, Entries = 0;
  std::size_t Paths = 0, Open = 0; ///< of queue pairs and remote addresses; those that wait as comments
};

/// To be written to File; empty: it is not said where to, and sources are named as they are given. Throws
/// InputError as extract does, and when there is nothing to write.
ProposedTopology proposeTopology(const ExtractionOptions &Options, const std::string &File = "");

/// What a program with one role shows of how it comes to the other end of its queue pairs.
struct ShownEnd {
  bool Connects = false, Accepts = false; ///< by librdmacm
  bool Calls = false, Answers = false;    ///< over a socket
  std::set<std::string> Numbered;         ///< structs that it puts the number of its queue pair into
};
/// Absent for a library, and for a program that has several roles, that says itself who runs where, that uses
/// nothing of verbs, or that does not compile.
std::optional<ShownEnd> shownEnd(const ExtractionOptions &Options);
/// May the two programs be at the two ends of a queue pair?
bool areEnds(const ShownEnd &A, const ShownEnd &B);

/// What a topology file lists as the "sources" of its nodes, as it stands there. Throws InputError.
std::vector<std::string> sourcesNamedIn(const std::string &TopologyFile);

/// The sources as one LLVM module, as text, before anything is inlined. Throws InputError as extract does.
std::string linkedCode(const ExtractionOptions &Options);

} // namespace rdma

// What is analysed as one program: the files of the command line, or each program of a compile database.
#pragma once

#include "analyzer/tools/Database.h"

namespace rdma {

struct Unit {
  std::string Name;
  std::vector<std::string> Files = {};   ///< each once
  std::vector<std::string> LeftOut = {}; ///< parts of it that another compiler's language is needed for
  std::string Topology = "";             ///< of several programs that are one system by it
  bool Alone = false;                    ///< the topology that it would have is of other programs
  std::map<std::string, std::string> Objects = {}; ///< as in ExtractionOptions

  /// The source, or all of Other's, with what is made of them.
  void takeIn(const DatabaseEntry &E);
  void takeIn(const Unit &Other);
};

/// The files that were given are one unit. With -p alone: a unit for each target of CMake with
/// the libraries of the database that it links, but none for such a library alone; or, in a database that
/// names no targets, one for each source with a `main`, together with the sources that have none. What nvcc
/// compiles is left out. Units whose files or targets a topology names as the "sources" of its nodes are one,
/// of those files. Throws UsageError for a database that cannot be read or is empty, InputError for a
/// topology.
std::vector<Unit> unitsOf(const Options &O);

/// The topology that extraction will find for U; empty: none.
std::string topologyOf(const Options &O, const Unit &U);

/// Programs of a database as one system, of which no topology is known yet.
Unit together(const std::vector<Unit> &Units);

/// To analyse U with.
Options optionsFor(const Options &O, const Unit &U);

} // namespace rdma

// What is analysed as one program: the files of the command line, or each program of a compile database.
#pragma once

#include "analyzer/tools/Options.h"

namespace rdma {

struct Unit {
  std::string Name;
  std::vector<std::string> Files;
  std::vector<std::string> LeftOut = {}; ///< parts of it that another compiler's language is needed for
};

/// The files that were given are one unit. With -p alone: a unit for each target of CMake, or, in a database
/// that names no targets, one for each source with a `main`, together with the sources that have none. What
/// nvcc compiles is left out. Throws UsageError for a database that cannot be read or is empty.
std::vector<Unit> unitsOf(const Options &O);

} // namespace rdma

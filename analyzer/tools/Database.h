// What a compile database says of a project.
#pragma once

#include "analyzer/tools/Options.h"

#include <map>

namespace rdma {

struct DatabaseEntry {
  std::string File, Target; ///< Target: empty where the database does not tell
  bool Foreign = false;     ///< to clang
  std::string Object = {};  ///< what is made of it, an absolute path; empty where the database does not tell
};

/// The C and C++ sources, each once for each object that is made of it. Throws UsageError.
std::vector<DatabaseEntry> databaseEntries(const std::string &BuildPath);

/// By target: its sources, and those of the other targets that are linked into it. Empty where the database
/// does not tell.
std::map<std::string, std::vector<std::string>> databaseTargets(const std::string &BuildPath);

} // namespace rdma

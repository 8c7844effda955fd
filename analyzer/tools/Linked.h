// Which targets of a build folder are linked into which: the files for ninja and make that CMake and Meson
// leave there say it.
#pragma once

#include "analyzer/tools/Database.h"

#include <set>

namespace rdma {

/// By target: the other targets whose objects are linked into it, directly or through libraries. Nothing for
/// what no file tells; what a program lacks then is unknown to it.
std::map<std::string, std::set<std::string>> linkedTargets(const std::string &BuildPath,
                                                           const std::vector<DatabaseEntry> &Entries);

} // namespace rdma

// Edits in the form that clang-apply-replacements reads.
#pragma once

#include <map>
#include <string>

namespace rdma {

/// YAML with one replacement a file: the stretch that differs. Before and After: contents by file name.
std::string exportedFixes(const std::map<std::string, std::string> &Before,
                          const std::map<std::string, std::string> &After);

} // namespace rdma

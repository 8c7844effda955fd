// Edits in the form that clang-apply-replacements reads.
#pragma once

#include "rewriter/Files.h"

namespace rdma {

/// YAML with one replacement for each stretch of lines that differs. Before and After: contents by file name.
std::string exportedFixes(const FileContents &Before, const FileContents &After);

} // namespace rdma

// Names of source files as the user wrote them.
#pragma once

#include "ir/Program.h"

#include <string>
#include <vector>

namespace rdma::clang_ir {

/// Absolute names become those of Files where they are the same file, and relative to the working directory
/// where they lie below it.
void spellFiles(Program &P, const std::vector<std::string> &Files);

} // namespace rdma::clang_ir

// From the command line's files to one RDMA program.
#pragma once

#include "analyzer/tools/Options.h"
#include "ir/Program.h"

#include <map>

namespace rdma {

/// Reads a litmus file, or extracts C and C++ sources as one program. Overlay holds contents that stand for
/// files not yet written. Throws UsageError for several litmus files or a mix, and what the readers throw.
Program readInputs(const Options &O, const std::map<std::string, std::string> &Overlay = {});

} // namespace rdma

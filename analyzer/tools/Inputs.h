// From the command line's files to one RDMA program.
#pragma once

#include "analyzer/clang/Extract.h"
#include "analyzer/tools/Options.h"
#include "ir/Program.h"

#include <map>

namespace rdma {

/// The folder of <rdma/order.h>: beside the installed tool, or in the sources that it was built from.
std::string runtimeHeaders();

/// What the command line says of C and C++ sources. The header of inserted calls is found without a flag.
ExtractionOptions extractionOptions(const Options &O, const std::map<std::string, std::string> &Overlay = {});

/// Throws UsageError for a glob of --checks or the configuration that no check matches, and when no check is
/// left.
void requireChecks(const Options &O);

/// Reads a litmus file, or extracts C and C++ sources as one program. Overlay holds contents that stand for
/// files not yet written. Throws UsageError for several litmus files or a mix, and what the readers throw.
Program readInputs(const Options &O, const std::map<std::string, std::string> &Overlay = {});

} // namespace rdma

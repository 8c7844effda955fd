// The configuration's file and the command line, as one.
#pragma once

#include "analyzer/config/Config.h"
#include "analyzer/tools/Options.h"

namespace rdma {

/// --config, --config-file or the nearest .rdma-tidy above the first source; with -p alone, the one above the
/// sources of the database, and the outermost where they have several, which is said. Throws UsageError and
/// ConfigError.
Config configuration(const Options &O);

/// Fills O with what the command line left open. Throws UsageError for values that mean nothing.
void configure(Options &O, const Config &C);

} // namespace rdma

// Which findings are shown: the options that rdma-tidy and rdma-fix share, as what is not shown is not fixed.
#pragma once

#include "analyzer/config/Config.h"
#include "analyzer/select/Selection.h"
#include "analyzer/tools/Options.h"

namespace rdma {

/// --header-filter, --exclude-header-filter, --line-filter and --baseline. Given and LineFilter must outlive
/// them.
std::vector<ToolOption> choosingOptions(Config &Given, std::string &LineFilter);

/// Throws SelectionError. C: the configuration with the command line's on top.
Selection selection(const Options &O, const Config &C, const std::string &LineFilter);

} // namespace rdma

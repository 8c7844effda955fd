// --confirm, --dot and --format=html: executions that show the findings, and pictures of them.
#pragma once

#include "analyzer/diagram/Page.h"
#include "analyzer/tools/Survey.h"
#include "analyzer/tools/TidyOptions.h"

namespace rdma {

/// Looks for an execution for each finding that is shown, within the limits of T for all of them. Returns
/// what can be drawn, by finding; Dots, when it is there, gets a Graphviz picture of each execution.
std::map<std::size_t, Drawing> look(Survey &A, const Options &O, const TidyOptions &T, std::string *Dots);

} // namespace rdma

// Handlers of signals, which a wait must not be interrupted by where they poll. Private to the source
// library.
#pragma once

#include "rewriter/source/Bodies.h"
#include "rewriter/source/Hazards.h"

namespace rdma::source {

/// Notes the first place where a source sets a handler up that may poll, through any function of the program:
/// what is given to signal() and its like, and what an action for sigaction() holds. A handler that is not
/// known where it is set up, such as a parameter, may.
void findHandlers(SourceFiles &Files, Bodies &Given, Hazards &Found);

} // namespace rdma::source

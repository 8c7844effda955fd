// Why a pair is open: because nothing orders it, or because the extraction lost what might.
//
// The conditions take every way the extraction could not exclude, so a pair is also open when the tool has
// failed to count completions, to tell bytes of a buffer apart or to follow a call. A violation is understood
// when an execution of the source has shown it (Program::ShownOpen), or when it stays open in the program
// that decides all that was lost in favour of order: whatever passes a place where requests may be waited for
// is taken to have been waited for. What is understood is a defect to warn of; the rest is not proved, and
// hangs on a fact that the user may know. Neither is robust.
#pragma once

#include "analyzer/core/Verdict.h"

namespace rdma {

/// Decides the program and finds the reasons: Verdict::Facts, and RestsOn of the local races and the open
/// cycles.
Verdict judge(const Program &P, Model M);

} // namespace rdma

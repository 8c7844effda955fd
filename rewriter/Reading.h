// The sources as an edit leaves them, before anything is written: what rdma-tidy would say of them.
#pragma once

#include "analyzer/select/Selection.h"
#include "analyzer/tools/Options.h"
#include "analyzer/tools/Report.h"
#include "rewriter/Files.h"

#include <functional>

namespace rdma {

/// The report, its findings marked as shown or hidden by S, as they would be where they stand in the files on
/// disk, which After replaces. Throws what readInputs and select throw.
Report reading(const Options &O, Selection S, const FileContents &After = {});

/// What a user reads of it: the findings of a severity that are not hidden, one for each cause.
std::vector<Finding> shownIn(const Report &R, Severity Level);

/// Does the user want to hear of pairs of events, each of the report's program? Of those that only hidden
/// findings tell of, no: they are left as they are.
std::function<bool(const Violation &)> wantedIn(const Report &R);

} // namespace rdma

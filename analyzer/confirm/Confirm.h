// Findings shown by an execution of the memory model.
//
// A finding names two events of one thread, First before Second in program order, that no fence, poll or
// queue keeps in order. It is *confirmed* by an execution of the model that is not sequentially consistent
// (ROBUST Def. 5, 11: po, rf, rb and mo have a cycle) through this very pair: First before Second is on the
// cycle, Second took effect before First, and no other order on the cycle was broken (WatchedPair in
// analyzer/explorer/Trace.h). For a local race (Def. 7) the cycle has these two only: they conflict, and the
// later overtook. For rdma-atomics the other write falls between the read and the write of the remote atomic.
//
// A program may be not robust while no execution breaks this pair: then the answer for the pair is no.
#pragma once

#include "analyzer/explorer/Witness.h"
#include "analyzer/report/Finding.h"

#include <functional>

namespace rdma {

/// Called with each confirming execution, and the program that it is an execution of.
using OnConfirmed = std::function<void(const Finding &, const Program &Part, const explorer::Witness &)>;

/// Fills Finding::Shown for every finding that has causes, within L.Timeout for all of them. A shortest
/// execution in which nothing but First is late is looked for first.
/// Extracted: the program comes from C or C++. Then parts of it run (analyzer/confirm/Slice.h), with numbers
/// for values that are not known, and other memory than it names taken to be apart; and that none was found
/// is never taken for complete.
void confirm(std::vector<Finding> &Findings, const Program &P, Model M, const explorer::Limits &L,
             bool Extracted, const OnConfirmed &Also = {});

} // namespace rdma

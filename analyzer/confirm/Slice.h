// The part of a program in which one finding can show: small enough to run, made of whole locations only.
//
// A slice keeps some threads and some byte ranges (atoms). Each atom becomes an object. An access to several
// atoms becomes one access for each; an access to none goes away, or, where the NIC or a fence would miss it,
// goes to memory of its own. Atoms are closed under the flow of values into them and into everything that is
// tested, so what a slice does the program does too, as far as the kept bytes tell: threads left out are not
// started yet, and each value that the extraction does not know is a number of its own.
#pragma once

#include "analyzer/core/Violation.h"
#include "analyzer/explorer/Trace.h"

#include <optional>

namespace rdma {

enum class SliceOf : std::uint8_t {
  Cycle,   ///< the threads of the finding, and the bytes on which its events conflict
  Threads, ///< all threads, the same bytes
  Whole    ///< everything
};

struct Slice {
  Program Code;
  explorer::WatchedPair Pair;
  /// The last thread is someone on another node who looks at the pair, the later event's memory first: what
  /// Program::OpenWorld says may be there, and no thread of the program is needed for.
  bool AddedObserver = false;
};

/// Nothing when the slice would have more than some hundred byte ranges.
std::optional<Slice> slice(const Program &P, const Violation &V, SliceOf What);

} // namespace rdma

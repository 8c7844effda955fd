// What makes a generated program one that runs: its glue, and what may come out of it.
#pragma once

#include "Sources.h"

namespace rdma::test {

/// A source that is compiled with the program's (test/generate/drive/Drive.h).
std::string writeGlue(const Program &P, const Style &S, const Sources &Of);

/// The outcomes under sequential consistency, one a line, in words that the driver has too. The first line
/// says whether these are all, and whether some run has no end.
std::string sequentialOutcomes(const Program &P, const Style &S);

} // namespace rdma::test

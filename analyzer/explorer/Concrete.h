// A program of which not everything is known, as one that runs.
#pragma once

#include "ir/Program.h"

namespace rdma::explorer {

/// Values that are not known become numbers of their own, parts that overlap one location, and polls of a
/// queue that is not known are left out. What runs then is one of the programs that the text stands for.
/// Objects of the program keep their numbers. Throws Unsupported where memory may be any other, or what
/// happens is not known.
Program concrete(const Program &P);

} // namespace rdma::explorer

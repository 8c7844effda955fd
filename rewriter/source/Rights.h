// What other nodes may do to the memory that the sources register, and through the queue pairs that they set
// up. Private to the source library.
#pragma once

#include "rewriter/source/Hazards.h"
#include "rewriter/source/Syntax.h"

#include <string>
#include <vector>

namespace rdma::source {

/// Where a READ towards this program could be refused, though a WRITE is not, or the program may post none.
/// Rights that are computed count as every number that they may be; what is not known has no right. Names: of
/// the sources, as the user calls them.
void findRights(const std::vector<const Syntax *> &Sources, const std::vector<std::string> &Names,
                Hazards &Found);

} // namespace rdma::source

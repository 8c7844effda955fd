// One finding for one cause: pairs that one missing wait, flush or fence leaves open are told once.
#pragma once

#include "analyzer/report/Finding.h"

namespace rdma {

/// Of the findings that are shown, folds those with one cause under the one that says most: pairs of a check
/// that the same remedy orders at the same place, be it behind the earlier operation or before the later one,
/// and remarks with the same words. The fewest places that cover all of them are looked for greedily. What is
/// folded is Hiding::Folded; the one that is left tells how many it stands for.
void foldCauses(std::vector<Finding> &Findings);

} // namespace rdma

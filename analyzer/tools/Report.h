// A program, read and decided: what rdma-tidy reports and rdma-fix works on.
#pragma once

#include "analyzer/core/Verdict.h"
#include "analyzer/report/Finding.h"

namespace rdma {

struct Report {
  Program Code;
  Verdict Decided; ///< with its reasons (analyzer/core/Reasons.h)
  std::vector<Finding> Findings;
  Summary Sum;
};

Report report(Program Code, Model M);

} // namespace rdma

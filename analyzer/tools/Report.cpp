#include "analyzer/tools/Report.h"

#include "analyzer/core/Reasons.h"
#include "analyzer/report/Explain.h"

namespace rdma {

Report report(Program Code, Model M) {
  Report R{std::move(Code), {}, {}, {}};
  R.Decided = judge(R.Code, M);
  R.Findings = explain(R.Code, R.Decided);
  R.Sum = summarize(R.Code, R.Decided, M);
  return R;
}

} // namespace rdma

#include "analyzer/report/Checks.h"

#include <algorithm>
#include <fnmatch.h>
#include <sstream>

namespace rdma {

static constexpr Check Checks[] = {
    {"rdma-local-race", "memory that the NIC may still be reading or writing is used again", true},
    {"rdma-fenced", "two operations can be seen out of order by other threads", true},
    {"rdma-atomics", "memory of remote atomics is changed by something else", true},
    {"rdma-not-analysed", "places that could not be resolved, and what was assumed", true},
    {"rdma-fenced-strict", "pairs that the fenced condition asks to order and no one can see", false},
};

std::span<const Check> allChecks() { return Checks; }

bool enabled(const std::string &Name, const std::string &List) {
  auto Found =
      std::find_if(std::begin(Checks), std::end(Checks), [&](const Check &C) { return C.Name == Name; });
  bool On = Found == std::end(Checks) || Found->Default;
  std::istringstream Globs(List);
  for (std::string Glob; std::getline(Globs, Glob, ',');) {
    bool Take = Glob.empty() || Glob.front() != '-';
    if (fnmatch(Glob.c_str() + !Take, Name.c_str(), 0) == 0)
      On = Take;
  }
  return On;
}

std::vector<Finding> selected(std::vector<Finding> Findings, const std::string &List) {
  std::erase_if(Findings, [&](const Finding &F) { return !enabled(F.Check, List); });
  return Findings;
}

} // namespace rdma

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
    {"rdma-unused-nolint", "NOLINT comments that name a check of ours and hide nothing", false},
};

std::span<const Check> allChecks() { return Checks; }

/// At commas and ends of lines.
static std::vector<std::string> split(std::string List) {
  std::vector<std::string> Globs;
  std::replace(List.begin(), List.end(), '\n', ',');
  std::istringstream In(List);
  for (std::string Glob; std::getline(In, Glob, ',');) {
    Glob.erase(0, Glob.find_first_not_of(" \t\r"));
    Glob.erase(Glob.find_last_not_of(" \t\r") + 1);
    Globs.push_back(Glob);
  }
  return Globs;
}

static bool takesAway(const std::string &Glob) { return Glob.starts_with('-'); }

bool matchesGlob(const std::string &Name, std::string_view Glob) {
  std::string Pattern;
  for (char C : Glob)
    Pattern += (std::string_view("?[\\").find(C) == std::string_view::npos ? "" : "\\") + std::string(1, C);
  return fnmatch(Pattern.c_str(), Name.c_str(), 0) == 0;
}

static bool matches(const std::string &Glob, std::string_view Name) {
  return matchesGlob(std::string(Name), std::string_view(Glob).substr(takesAway(Glob)));
}

static bool decided(const std::string &Name, const std::string &List, bool On) {
  for (const std::string &Glob : split(List))
    if (matches(Glob, Name))
      On = !takesAway(Glob);
  return On;
}

bool matchesAny(const std::string &Name, const std::string &List) { return decided(Name, List, false); }

bool enabled(const std::string &Name, const std::string &List) {
  auto Found =
      std::find_if(std::begin(Checks), std::end(Checks), [&](const Check &C) { return C.Name == Name; });
  return decided(Name, List, Found == std::end(Checks) || Found->Default);
}

std::string unknownCheck(const std::string &List) {
  for (const std::string &Glob : split(List))
    if (!Glob.empty() && std::none_of(std::begin(Checks), std::end(Checks),
                                      [&](const Check &C) { return matches(Glob, C.Name); }))
      return Glob;
  return "";
}

std::vector<Finding> selected(std::vector<Finding> Findings, const std::string &List) {
  std::erase_if(Findings, [&](const Finding &F) { return !enabled(F.Check, List); });
  return Findings;
}

} // namespace rdma

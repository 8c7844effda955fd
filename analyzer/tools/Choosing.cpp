#include "analyzer/tools/Choosing.h"

namespace rdma {

std::vector<ToolOption> choosingOptions(Config &Given, std::string &LineFilter) {
  auto Into = [](auto &Text) { return [&Text](const std::string &V) { Text = V; }; };
  constexpr const char *Group = "what is reported";
  return {
      {"header-filter", true, "regular expression: headers to report on (all)", Into(Given.HeaderFilter),
       Group},
      {"exclude-header-filter", true, "regular expression: headers to leave out",
       Into(Given.ExcludeHeaderFilter), Group},
      {"line-filter", true, "JSON: [{\"name\":\"FILE\",\"lines\":[[FIRST,LAST]]}]", Into(LineFilter), Group},
      {"baseline", true, "hide the findings of this file", Into(Given.Baseline), Group},
  };
}

static std::optional<Pattern> pattern(const char *Option, const std::optional<std::string> &Text) {
  return Text && !Text->empty() ? std::optional<Pattern>(std::in_place, Option, *Text) : std::nullopt;
}

Selection selection(const Options &O, const Config &C, const std::string &LineFilter) {
  rdma::LineFilter Lines = LineFilter.empty() ? rdma::LineFilter() : parseLineFilter(LineFilter);
  Filters Places(O.Files, pattern("header-filter", C.HeaderFilter),
                 pattern("exclude-header-filter", C.ExcludeHeaderFilter), std::move(Lines));
  Selection S{O.Checks, C.WarningsAsErrors.value_or(""), std::move(Places)};
  if (C.Baseline && !C.Baseline->empty())
    S.Known = readBaseline(*C.Baseline);
  return S;
}

} // namespace rdma

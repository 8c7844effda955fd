// The registry of why a remedy is not inserted, each entry a function of its names: refusals::NoName().
#pragma once

#include "ir/Words.h"

namespace rdma::refusals {

template <unsigned Names> struct Entry {
  std::string_view Text;

  template <class... All>
    requires(sizeof...(All) == Names)
  std::string operator()(const All &...Each) const {
    return fillIn(Text, std::vector<std::string>{Each...});
  }
};

#define TEXT(Id, Text) inline constexpr Entry<namesIn(Text)> Id{Text};
#include "rewriter/plan/RefusalTexts.def"
#undef TEXT

} // namespace rdma::refusals

#include "analyzer/report/Pages.h"

#include <algorithm>
#include <map>

namespace rdma {
namespace {

struct BuiltIn {
  std::string_view Check, Markdown;
};

constexpr BuiltIn AllPages[] = {
#include "Pages.inc"
};

/// The first paragraph below the title, on one line.
std::string description(std::string_view Markdown) {
  std::size_t Begin = Markdown.find("\n\n") + 2;
  std::string Text(Markdown.substr(Begin, Markdown.find("\n\n", Begin) - Begin));
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  return Text;
}

std::map<std::string_view, Page> pages() {
  std::map<std::string_view, Page> ByCheck;
  for (const BuiltIn &B : AllPages)
    ByCheck[B.Check] = {description(B.Markdown), std::string(B.Markdown),
                        RDMA_TIDY_PAGES + std::string(B.Check) + ".md"};
  return ByCheck;
}

} // namespace

const Page &pageOf(std::string_view Check) {
  static const std::map<std::string_view, Page> ByCheck = pages();
  return ByCheck.at(Check);
}

} // namespace rdma

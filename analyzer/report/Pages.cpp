#include "analyzer/report/Pages.h"
#include "analyzer/report/SarifPlaces.h"

#include <algorithm>
#include <filesystem>
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

/// Beside the installed tool, else where they are said to be.
std::string uri() {
  namespace fs = std::filesystem;
  std::error_code Failed;
  fs::path Tool = fs::read_symlink("/proc/self/exe", Failed);
  fs::path Beside = (Tool.parent_path() / RDMA_TIDY_PAGES_BESIDE).lexically_normal();
  bool Local = std::string_view(RDMA_TIDY_PAGES).starts_with("file:");
  return Local && fs::exists(Beside, Failed) ? uriOf(Beside.string()) + "/" : RDMA_TIDY_PAGES;
}

std::map<std::string_view, Page> pages() {
  const std::string Uri = uri();
  std::map<std::string_view, Page> ByCheck;
  for (const BuiltIn &B : AllPages)
    ByCheck[B.Check] = {description(B.Markdown), std::string(B.Markdown), Uri + std::string(B.Check) + ".md"};
  return ByCheck;
}

} // namespace

const Page &pageOf(std::string_view Check) {
  static const std::map<std::string_view, Page> ByCheck = pages();
  return ByCheck.at(Check);
}

} // namespace rdma

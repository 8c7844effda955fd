#include "rewriter/source/ExportFixes.h"

#include <clang/Tooling/Core/Replacement.h>
#include <clang/Tooling/ReplacementsYaml.h>

#include <algorithm>
#include <filesystem>

namespace rdma {

static clang::tooling::Replacement difference(const std::string &File, const std::string &Old,
                                              const std::string &New) {
  std::size_t Shorter = std::min(Old.size(), New.size());
  std::size_t Head = std::mismatch(Old.begin(), Old.begin() + Shorter, New.begin()).first - Old.begin();
  std::size_t Tail = 0;
  while (Tail < Shorter - Head && Old[Old.size() - 1 - Tail] == New[New.size() - 1 - Tail])
    ++Tail;
  std::string Absolute = std::filesystem::absolute(File).string();
  return {Absolute, unsigned(Head), unsigned(Old.size() - Head - Tail),
          New.substr(Head, New.size() - Head - Tail)};
}

std::string exportedFixes(const std::map<std::string, std::string> &Before,
                          const std::map<std::string, std::string> &After) {
  clang::tooling::TranslationUnitReplacements All;
  for (const auto &[File, New] : After) {
    if (All.MainSourceFile.empty())
      All.MainSourceFile = std::filesystem::absolute(File).string();
    All.Replacements.push_back(difference(File, Before.at(File), New));
  }
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  llvm::yaml::Output Yaml(Out);
  Yaml << All;
  return Out.str();
}

} // namespace rdma

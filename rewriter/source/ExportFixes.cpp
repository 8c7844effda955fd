#include "rewriter/source/ExportFixes.h"

#include <clang/Tooling/Core/Replacement.h>
#include <clang/Tooling/ReplacementsYaml.h>

#include <filesystem>

namespace rdma {

std::string exportedFixes(const FileContents &Before, const FileContents &After) {
  clang::tooling::TranslationUnitReplacements All;
  for (const auto &[File, New] : After) {
    std::string Absolute = std::filesystem::absolute(File).string();
    if (All.MainSourceFile.empty())
      All.MainSourceFile = Absolute;
    for (const Change &C : changes(Before.at(File), New))
      All.Replacements.emplace_back(Absolute, unsigned(C.Offset), unsigned(C.Length), C.Text);
  }
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  llvm::yaml::Output Yaml(Out);
  Yaml << All;
  return Out.str();
}

} // namespace rdma

#include "analyzer/module/Shown.h"

#include <clang/Basic/FileEntry.h>
#include <llvm/Support/Regex.h>

#include <algorithm>

namespace rdma::module {

using namespace clang;

namespace {

std::string fileOf(SourceLocation At, const SourceManager &Sources) {
  OptionalFileEntryRef File = Sources.getFileEntryRefForID(Sources.getDecomposedExpansionLoc(At).first);
  return File ? File->getName().str() : "";
}

bool matches(const std::optional<std::string> &Expression, const std::string &File) {
  return Expression && !Expression->empty() && llvm::Regex(*Expression).match(File);
}

} // namespace

bool Shown::passesLines(SourceLocation At) const {
  const std::vector<tidy::FileFilter> &Files = Context.getGlobalOptions().LineFilter;
  const std::string File = fileOf(At, Sources);
  auto Named =
      std::find_if(Files.begin(), Files.end(), [&](const auto &F) { return File.ends_with(F.Name); });
  if (Files.empty() || Named == Files.end())
    return Files.empty();
  const unsigned Line = Sources.getExpansionLineNumber(At);
  return Named->LineRanges.empty() ||
         std::any_of(Named->LineRanges.begin(), Named->LineRanges.end(),
                     [&](const auto &Range) { return Range.first <= Line && Line <= Range.second; });
}

bool Shown::passesHeaders(SourceLocation At) const {
  if (Sources.isInMainFile(At))
    return true;
  const tidy::ClangTidyOptions &O = Context.getOptions();
  if (!O.SystemHeaders.value_or(false) && (Sources.isInSystemHeader(At) || Sources.isInSystemMacro(At)))
    return false;
  const std::string File = fileOf(At, Sources);
  return matches(O.HeaderFilterRegex, File) && !matches(O.ExcludeHeaderFilterRegex, File);
}

bool Shown::anyOf(const std::vector<SourceLocation> &Places) const {
  auto some = [&](auto Passes) {
    return std::any_of(Places.begin(), Places.end(),
                       [&](SourceLocation At) { return At.isValid() && (this->*Passes)(At); });
  };
  return some(&Shown::passesLines) && some(&Shown::passesHeaders);
}

} // namespace rdma::module

#include "rewriter/source/ExportFixes.h"

#include <clang/Tooling/DiagnosticsYaml.h>

#include <filesystem>

namespace rdma {
namespace {

// What is edited is one diagnostic: half of a repair may not compile. run-clang-tidy and clang-tidy-diff
// collect diagnostics only.
clang::tooling::Diagnostic repair(const FileContents &Before, const FileContents &After) {
  clang::tooling::Diagnostic All("rdma-fix", clang::tooling::Diagnostic::Warning,
                                 std::filesystem::current_path().string());
  All.Message.Message = "operations may be seen out of order; rdma-fix orders them";
  for (const auto &[File, New] : After) {
    std::string Absolute = std::filesystem::absolute(File).string();
    for (const Change &C : changes(Before.at(File), New)) {
      if (All.Message.FilePath.empty())
        All.Message.FilePath = Absolute, All.Message.FileOffset = unsigned(C.Offset);
      // They are in order, and lines that are the same lie between them.
      llvm::cantFail(
          All.Message.Fix[Absolute].add({Absolute, unsigned(C.Offset), unsigned(C.Length), C.Text}));
    }
  }
  return All;
}

} // namespace

std::string exportedFixes(const FileContents &Before, const FileContents &After) {
  clang::tooling::TranslationUnitDiagnostics All;
  if (clang::tooling::Diagnostic Repair = repair(Before, After); !Repair.Message.Fix.empty()) {
    All.MainSourceFile = Repair.Message.FilePath;
    All.Diagnostics.push_back(std::move(Repair));
  }
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  llvm::yaml::Output Yaml(Out);
  Yaml << All;
  return Out.str();
}

} // namespace rdma

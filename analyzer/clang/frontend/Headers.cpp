#include "analyzer/clang/frontend/Headers.h"

#include <clang/Frontend/PrecompiledPreamble.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <map>
#include <optional>

namespace rdma::clang_ir {
namespace {

/// The length of the `#include <...>` lines at the beginning.
std::size_t includesOf(llvm::StringRef Text) {
  std::size_t End = 0;
  while (Text.substr(End).starts_with("#include <")) {
    std::size_t Line = Text.find('\n', End);
    if (Line == llvm::StringRef::npos)
      break;
    End = Line + 1;
  }
  return End;
}

using Compiled = std::optional<clang::PrecompiledPreamble>;

} // namespace

std::unique_ptr<llvm::MemoryBuffer> shareHeaders(clang::CompilerInvocation &Invocation,
                                                 clang::DiagnosticsEngine &Diagnostics,
                                                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &Files,
                                                 const std::string &File,
                                                 const std::vector<std::string> &CommandLine) {
  static std::map<std::string, Compiled> Known;
  auto Read = Files->getBufferForFile(File);
  if (!Read)
    return nullptr;
  std::unique_ptr<llvm::MemoryBuffer> Text = std::move(*Read);
  std::size_t Length = includesOf(Text->getBuffer());
  if (!Length)
    return nullptr;
  std::string Key = Text->getBuffer().substr(0, Length).str();
  for (const std::string &Word : CommandLine)
    Key += Word + "\n";
  clang::PreambleBounds Bounds(Length, /*PreambleEndsAtStartOfLine=*/true);
  auto [Found, New] = Known.try_emplace(Key);
  if (New) {
    clang::PreambleCallbacks None;
    auto Built =
        clang::PrecompiledPreamble::Build(Invocation, Text.get(), Bounds, Diagnostics, Files,
                                          std::make_shared<clang::PCHContainerOperations>(), true, "", None);
    if (Built)
      Found->second.emplace(std::move(*Built));
  }
  if (!Found->second)
    return nullptr;
  Found->second->AddImplicitPreamble(Invocation, Files, Text.get());
  Invocation.getPreprocessorOpts().RetainRemappedFileBuffers = true; // they are returned
  return Text;
}

} // namespace rdma::clang_ir

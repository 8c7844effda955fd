// The checks that one translation unit decides, in clang-tidy: clang-tidy-19 -load libRdmaTidyModule.so.
#include "analyzer/clang/Extract.h"
#include "analyzer/core/Reasons.h"
#include "analyzer/core/Verdict.h"
#include "analyzer/report/Explain.h"

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/TargetOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/FileSystem.h>

namespace rdma {
namespace {

using namespace clang;

/// How clang-tidy compiles the file at hand, in the compiler's own words.
std::vector<std::string> wordsFor(const std::string &File, const SourceManager &Sources, Preprocessor &PP) {
  CompilerInvocation As;
  auto Unheard = CompilerInstance::createDiagnostics(new DiagnosticOptions, new IgnoringDiagConsumer);
  const char *Plain[] = {"-x", PP.getLangOpts().CPlusPlus ? "c++" : "c", File.c_str()};
  CompilerInvocation::CreateFromArgs(As, Plain, *Unheard);
  As.getLangOpts() = PP.getLangOpts();
  As.getHeaderSearchOpts() = PP.getHeaderSearchInfo().getHeaderSearchOpts();
  As.getPreprocessorOpts() = PP.getPreprocessorOpts();
  std::erase_if(As.getPreprocessorOpts().Macros,
                [](const auto &Macro) { return StringRef(Macro.first).starts_with("__clang_analyzer__"); });
  As.getTargetOpts() = PP.getTargetInfo().getTargetOpts();
  if (auto Folder = Sources.getFileManager().getVirtualFileSystem().getCurrentWorkingDirectory())
    As.getFileSystemOpts().WorkingDir = *Folder;
  return As.getCC1CommandLine();
}

/// The findings of the file that was asked for last: each check of it asks once.
const std::vector<Finding> &findingsIn(const std::string &File, const std::vector<std::string> &Words) {
  static std::vector<std::string> Of;
  static std::vector<Finding> Findings;
  if (Of == Words)
    return Findings;
  Of = Words;
  Findings.clear();
  ExtractionOptions Options;
  Options.Files = {File};
  Options.Flags = Words;
  Options.HasFlags = Options.Part = true;
  try {
    Program P = extract(Options).Code;
    Verdict V = decide(P, Model::RdmaTso);
    findReasons(P, V, Model::RdmaTso);
    Findings = explain(P, V);
  } catch (const std::exception &E) {
    llvm::errs() << E.what() << "\nlibRdmaTidyModule: '" << File << "' was not analysed\n";
  }
  return Findings;
}

class RdmaCheck : public tidy::ClangTidyCheck {
public:
  RdmaCheck(StringRef Name, tidy::ClangTidyContext *Context)
      : ClangTidyCheck(Name, Context), Name(Name.str()) {}

  void registerPPCallbacks(const SourceManager &SM, Preprocessor *PP, Preprocessor *) override {
    Sources = &SM;
    File = getCurrentMainFile().str();
    Words = wordsFor(File, SM, *PP);
  }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult &) override {
    for (const Finding &F : findingsIn(File, Words)) {
      SourceLocation At =
          F.Check == Name && F.Level == Severity::Warning ? locationOf(F.Main.At) : SourceLocation();
      if (At.isInvalid())
        continue;
      diag(At, F.Main.Text);
      for (const Note &N : F.Notes)
        if (SourceLocation Other = locationOf(N.At); Other.isValid())
          diag(Other, N.Text, DiagnosticIDs::Note);
    }
  }

private:
  SourceLocation locationOf(const Place &At) const {
    SmallString<256> Path(At.File);
    llvm::sys::fs::make_absolute(Path);
    auto Entry = Sources->getFileManager().getOptionalFileRef(Path);
    return Entry && At.Line
               ? Sources->translateFileLineCol(&Entry->getFileEntry(), At.Line, std::max(1u, At.Column))
               : SourceLocation();
  }

  const std::string Name;
  const SourceManager *Sources = nullptr;
  std::string File;
  std::vector<std::string> Words;
};

class RdmaModule : public tidy::ClangTidyModule {
public:
  void addCheckFactories(tidy::ClangTidyCheckFactories &Factories) override {
    Factories.registerCheck<RdmaCheck>("rdma-local-race");
    Factories.registerCheck<RdmaCheck>("rdma-atomics");
  }
};

tidy::ClangTidyModuleRegistry::Add<RdmaModule> Registered("rdma-module", "Order between RDMA operations.");

} // namespace
} // namespace rdma

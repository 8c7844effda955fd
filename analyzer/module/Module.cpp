// The checks that one translation unit decides, in clang-tidy: clang-tidy-19 -load libRdmaTidyModule.so.
#include "analyzer/module/Edits.h"
#include "analyzer/module/Headers.h"
#include "analyzer/module/Shown.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/Report.h"

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
  std::vector<std::string> Words = As.getCC1CommandLine();
  if (std::string Headers = module::orderHeaders(); !Headers.empty()) // what an edit may include
    Words.insert(Words.end(), {"-idirafter", Headers});
  return Words;
}

bool isWarning(const Finding &F) { return F.Level == Severity::Warning; }

/// A remote atomic stays one, and what a comment hides is left as it is.
bool isRepaired(const Finding &F) {
  return isWarning(F) && F.Check == "rdma-local-race" && F.Hidden == Hiding::Shown;
}

struct Told {
  std::vector<Finding> Findings;
  std::optional<Fix> Repair;
};

/// What is said of a file, and what rdma-fix would write into it.
Told tell(const std::string &File, const std::vector<std::string> &Words) {
  Options O;
  O.Files = {File};
  O.CompileFlags = Words;
  O.HasCompileFlags = O.Alone = true;
  Told All;
  try {
    All.Findings = report(readInputs(O), O.CpuModel).Findings;
    if (std::none_of(All.Findings.begin(), All.Findings.end(), isWarning))
      return All;
  } catch (const std::exception &E) {
    llvm::errs() << E.what() << "\nlibRdmaTidyModule: '" << File << "' was not analysed\n";
    return All;
  }
  try {
    All.Repair = fix(O);
    All.Findings = All.Repair->Was.Findings;
  } catch (const std::exception &) { // what cannot be repaired is still told
  }
  return All;
}

/// Each check of a file asks once.
const Told &toldOf(const std::string &File, const std::vector<std::string> &Words) {
  static std::vector<std::string> Of;
  static Told Last;
  if (Of != Words) {
    Of = Words;
    Last = tell(File, Words);
  }
  return Last;
}

class RdmaCheck : public tidy::ClangTidyCheck {
public:
  RdmaCheck(StringRef Name, tidy::ClangTidyContext *Context)
      : ClangTidyCheck(Name, Context), Name(Name.str()), Context(*Context) {}

  void registerPPCallbacks(const SourceManager &SM, Preprocessor *PP, Preprocessor *) override {
    Sources = &SM;
    File = getCurrentMainFile().str();
    Words = wordsFor(File, SM, *PP);
  }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Result) override {
    const Told &All = toldOf(File, Words);
    std::optional<module::Edits> Repair;
    if (All.Repair)
      Repair.emplace(*All.Repair, *Result.Context);
    const std::vector<SourceLocation> Repaired = placesToRepair(All);
    for (const Finding &F : All.Findings) {
      SourceLocation At = F.Check == Name && isWarning(F) ? locationOf(F.Main.At) : SourceLocation();
      if (At.isInvalid())
        continue;
      {
        DiagnosticBuilder Said = diag(At, F.Main.Text);
        if (isRepaired(F) && Repair && isShown(F))
          for (const FixItHint &Hint : Repair->take(At, Repaired))
            Said << Hint;
      }
      for (const Note &N : F.Notes)
        if (SourceLocation Other = locationOf(N.At); Other.isValid())
          diag(Other, N.Text, DiagnosticIDs::Note);
    }
  }

private:
  std::vector<SourceLocation> placesToRepair(const Told &All) const {
    std::vector<SourceLocation> Places;
    for (const Finding &F : All.Findings)
      if (SourceLocation At = isRepaired(F) ? locationOf(F.Main.At) : SourceLocation(); At.isValid())
        Places.push_back(At);
    return Places;
  }

  bool isShown(const Finding &F) const {
    std::vector<SourceLocation> Places{locationOf(F.Main.At)};
    for (const Note &N : F.Notes)
      Places.push_back(locationOf(N.At));
    return module::Shown(Context, *Sources).anyOf(Places);
  }

  SourceLocation locationOf(const Place &At) const {
    SmallString<256> Path(At.File);
    llvm::sys::fs::make_absolute(Path);
    auto Entry = Sources->getFileManager().getOptionalFileRef(Path);
    return Entry && At.Line
               ? Sources->translateFileLineCol(&Entry->getFileEntry(), At.Line, std::max(1u, At.Column))
               : SourceLocation();
  }

  const std::string Name;
  const tidy::ClangTidyContext &Context;
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

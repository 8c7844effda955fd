#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/AnnotationPlaces.h"
#include "analyzer/clang/frontend/BlockScope.h"
#include "analyzer/clang/frontend/CoveredSwitches.h"
#include "analyzer/clang/frontend/FileAssembly.h"
#include "analyzer/clang/frontend/Headers.h"
#include "analyzer/clang/frontend/LibraryHeaders.h"
#include "analyzer/clang/frontend/Link.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/frontend/StringBodies.h"
#include "analyzer/clang/frontend/UnitCache.h"
#include "analyzer/clang/frontend/UnorderedOperands.h"
#include "ir/Litmus.h"

#include <clang/Basic/Builtins.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <set>

namespace rdma::clang_ir {
namespace {

/// Remembers the first error in clang's own words, with its place, what clang adds to it, and by which files
/// it was included.
class FirstError : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    llvm::SmallString<128> Text;
    if (Level == clang::DiagnosticsEngine::Note && Adding) {
      Info.FormatDiagnostic(Text);
      if (clang::PresumedLoc At = placeOf(Info); At.isValid())
        Notes += line(At) + ": note: " + std::string(Text);
      return;
    }
    Adding = false;
    if (Level < clang::DiagnosticsEngine::Error || Seen)
      return;
    Seen = Adding = true;
    Info.FormatDiagnostic(Text);
    Message = std::string(Text);
    clang::PresumedLoc At = placeOf(Info);
    if (At.isInvalid())
      return;
    Where = {At.getFilename(), At.getLine(), At.getColumn(), ""};
    for (clang::SourceLocation By = At.getIncludeLoc(); By.isValid();) {
      clang::PresumedLoc From = Info.getSourceManager().getPresumedLoc(By);
      if (From.isInvalid())
        break;
      Includes += line(From) + ": note: included from here";
      By = From.getIncludeLoc();
    }
  }
  std::string whole() const { return Message + Includes + Notes; }
  bool Seen = false;
  Place Where;

private:
  static clang::PresumedLoc placeOf(const clang::Diagnostic &Info) {
    if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
      return {};
    const clang::SourceManager &Sources = Info.getSourceManager();
    return Sources.getPresumedLoc(Sources.getExpansionLoc(Info.getLocation()));
  }
  static std::string line(const clang::PresumedLoc &At) {
    return "\n" + std::string(At.getFilename()) + ":" + std::to_string(At.getLine()) + ":" +
           std::to_string(At.getColumn());
  }

  bool Adding = false; ///< notes belong to the first error
  std::string Message, Includes, Notes;
};

std::string absolute(const std::string &File) {
  llvm::SmallString<256> Path(File);
  llvm::sys::fs::make_absolute(Path);
  return std::string(Path);
}

std::vector<std::string> commandLine(const std::string &File, const ExtractionOptions &Options) {
  std::vector<std::string> Line{"clang", "-isystem", LibraryHeaders, "-D", LibraryMacro};
  for (std::string &Flag : flagsFor(File, Options))
    Line.push_back(std::move(Flag));
  // Last, so that they hold whatever the flags above say. Optimisation is on for its attributes and lifetime
  // markers only; no pass of the optimiser runs.
  for (const char *Flag : {"-O1", "-Xclang", "-disable-llvm-passes", "-g", "-fstandalone-debug",
                           "-gcolumn-info", "-fsyntax-only", "-w", "-fno-sanitize=all", "-U_FORTIFY_SOURCE",
                           "-fno-stack-protector", "-fno-vectorize"})
    Line.push_back(Flag);
  Line.push_back("-resource-dir=" RDMA_CLANG_RESOURCES);
  Line.push_back(absolute(File)); // the flags may come with a working directory of their own
  return Line;
}

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(const ExtractionOptions &Options) {
  // With a current folder of its own: a compile command sets it, and other files compile side by side.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk = llvm::vfs::createPhysicalFileSystem();
  if (Options.Overlay.empty())
    return Disk;
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  if (auto Here = Disk->getCurrentWorkingDirectory())
    Memory->setCurrentWorkingDirectory(*Here);
  for (const auto &[Name, Contents] : Options.Overlay) {
    llvm::SmallString<256> Absolute(Name);
    Memory->makeAbsolute(Absolute);
    Memory->addFile(Absolute, 0, llvm::MemoryBuffer::getMemBufferCopy(Contents, Name));
  }
  auto Both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Disk);
  Both->pushOverlay(Memory);
  return Both;
}

bool isParsed(const ExtractionOptions &Options) {
  return Options.HasFlags && !Options.Flags.empty() && Options.Flags.front() == "-cc1";
}

std::shared_ptr<clang::CompilerInvocation> parsedAlready(const ExtractionOptions &Options,
                                                         clang::DiagnosticsEngine &Engine) {
  llvm::InitializeNativeTarget(); // which a driver does, and a tool that only parses does not
  std::vector<const char *> Words;
  for (std::size_t I = 1; I < Options.Flags.size(); ++I)
    Words.push_back(Options.Flags[I].c_str());
  Words.push_back("-w");
  auto Invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*Invocation, Words, Engine))
    return nullptr;
  return Invocation;
}

static std::shared_ptr<clang::CompilerInvocation> toCompile(ExtractionOptions Options,
                                                            clang::DiagnosticsEngine &Engine) {
  for (const char *Ours : {"-O1", "-disable-llvm-passes", "-debug-info-kind=standalone", "-dwarf-version=5",
                           "-isystem", LibraryHeaders, "-D", LibraryMacro})
    Options.Flags.push_back(Ours);
  return parsedAlready(Options, Engine);
}

namespace {

/// Sanitizers reach the program by the macros of GCC, of those that the last such flag leaves on.
void setMacrosOfSanitizers(clang::PreprocessorOptions &Macros, const std::vector<std::string> &Flags) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> Known[] = {
      {"address", "__SANITIZE_ADDRESS__=1"},
      {"hwaddress", "__SANITIZE_HWADDRESS__=1"},
      {"thread", "__SANITIZE_THREAD__=1"}};
  for (const auto &[Name, Macro] : Known) {
    bool On = false;
    for (llvm::StringRef Flag : Flags) {
      const bool Sets = Flag.consume_front("-fsanitize=");
      llvm::SmallVector<llvm::StringRef, 4> Names;
      if (Sets || Flag.consume_front("-fno-sanitize="))
        Flag.split(Names, ',');
      if (llvm::is_contained(Names, Name) || (!Sets && llvm::is_contained(Names, "all")))
        On = Sets;
    }
    if (On)
      Macros.addMacroDef(Macro);
  }
}

/// What -Ofast says of floating point, unless another flag says otherwise.
void setMacrosOfFastMath(clang::PreprocessorOptions &Macros, const std::vector<std::string> &Flags) {
  bool Fast = false;
  for (llvm::StringRef Flag : Flags)
    if (Flag.starts_with("-O"))
      Fast = Flag == "-Ofast";
  for (llvm::StringRef Flag : Flags)
    Fast &= Flag != "-fno-fast-math";
  if (Fast) {
    Macros.addMacroDef("__FAST_MATH__=1");
    Macros.addMacroDef("__FINITE_MATH_ONLY__=1");
  }
}

/// The optimiser's level reaches the program by macros, and it is the one that the flags say. What is
/// compiled here is compiled with another (commandLine).
void setMacrosOfLevel(clang::PreprocessorOptions &Macros, const std::vector<std::string> &Flags) {
  llvm::StringRef Level = "0";
  for (llvm::StringRef Flag : Flags)
    if (Flag.consume_front("-O"))
      Level = Flag.empty() ? "1" : Flag;
  if (Level == "0") {
    Macros.addMacroUndef("__OPTIMIZE__");
    Macros.addMacroDef("__NO_INLINE__=1");
  } else if (Level == "s" || Level == "z") {
    Macros.addMacroDef("__OPTIMIZE_SIZE__=1");
  }
}

/// What the sources say and the module does not.
struct Beside {
  std::vector<Place> Assembly; ///< outside of functions
  std::vector<WrittenAnnotation> Annotations;
  std::vector<UnorderedOperands> Unordered;
  CoveredSwitches Covered;
};

/// The module, and what is beside it.
class Emit : public clang::EmitLLVMOnlyAction {
public:
  Emit(llvm::LLVMContext &Context, Beside &Found) : EmitLLVMOnlyAction(&Context), Found(Found) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Compiler,
                                                        llvm::StringRef File) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> All;
    All.push_back(findAssembly(Found.Assembly));
    All.push_back(findAnnotations(Found.Annotations));
    All.push_back(findUnordered(Found.Unordered));
    All.push_back(findCovered(Found.Covered));
    All.push_back(instantiateStrings());
    All.push_back(EmitLLVMOnlyAction::CreateASTConsumer(Compiler, File));
    return std::make_unique<clang::MultiplexConsumer>(std::move(All));
  }

private:
  Beside &Found;
};

} // namespace

std::unique_ptr<llvm::Module> compileOne(const std::string &File, const ExtractionOptions &Options,
                                         llvm::LLVMContext &Context) {
  auto Files = withLibraryHeaders(fileSystem(Options));
  if (!Files->exists(File))
    throw InputError({File, 0, 0, ""}, "no such file");
  FirstError Errors;
  auto fail = [&]() -> std::unique_ptr<llvm::Module> {
    if (Errors.Where.File.empty() || Errors.Where.File == absolute(File))
      Errors.Where.File = File;
    throw InputError(Errors.Where, Errors.Seen ? Errors.whole() : "cannot be compiled");
  };
  auto Engine = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &Errors, false);
  std::vector<std::string> Line = commandLine(File, Options);
  std::vector<const char *> Arguments;
  for (const std::string &Word : Line)
    Arguments.push_back(Word.c_str());
  clang::CreateInvocationOptions Create;
  Create.Diags = Engine;
  Create.VFS = Files;
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      isParsed(Options) ? toCompile(Options, *Engine) : clang::createInvocation(Arguments, Create);
  if (!Invocation || Errors.Seen)
    return fail();
  const std::vector<std::string> Given = isParsed(Options) ? Options.Flags : flagsFor(File, Options);
  setMacrosOfLevel(Invocation->getPreprocessorOpts(), Given);
  setMacrosOfFastMath(Invocation->getPreprocessorOpts(), Given);
  setMacrosOfSanitizers(Invocation->getPreprocessorOpts(), Given);
  Invocation->getFrontendOpts().ProgramAction = clang::frontend::EmitLLVMOnly;
  Invocation->getCodeGenOpts().DisableLLVMPasses = true;
  Invocation->getCodeGenOpts().DiscardValueNames = false; // until they are read
  // Who comes to the end of a function without `return` goes on with anything.
  Invocation->getCodeGenOpts().StrictReturn = false;
  Invocation->getDiagnosticOpts().ShowCarets = false; // no "1 error generated"

  std::optional<UnitCache> Cache;
  if (!Options.CacheFolder.empty() && !Options.ShareHeaders && !isParsed(Options)) {
    Cache.emplace(Options.CacheFolder, absolute(File), Invocation->getCC1CommandLine(), Files);
    if (std::unique_ptr<llvm::Module> Kept = Cache->find(Context))
      return Kept;
    Files = Cache->watched();
  }
  std::unique_ptr<llvm::MemoryBuffer> Text;
  if (Options.ShareHeaders)
    Text = shareHeaders(*Invocation, *Engine, Files, absolute(File), Line);

  clang::CompilerInstance Compiler;
  Compiler.setInvocation(Invocation);
  Compiler.createDiagnostics(&Errors, false);
  Compiler.createFileManager(Files);
  Beside Found;
  Emit Action(Context, Found);
  if (!Compiler.ExecuteAction(Action) || Errors.Seen)
    return fail();
  std::unique_ptr<llvm::Module> Unit = Action.takeModule();
  keepAssembly(*Unit, Found.Assembly, absolute(File));
  keepAnnotations(*Unit, Found.Annotations);
  keepUnordered(*Unit, Found.Unordered);
  markCovered(*Unit, Found.Covered);
  markBlockScope(*Unit);
  if (Cache)
    Cache->keep(*Unit);
  return Unit;
}

namespace {

using Units = std::vector<std::unique_ptr<llvm::Module>>;

/// Does the compiler take it for a function of the C library, by its name?
bool isOwnOfCompiler(const llvm::GlobalValue &Value) {
  return Value.getValueType()->isFunctionTy() && !Value.isDeclarationForLinker() &&
         !Value.hasLocalLinkage() && clang::Builtin::Context::isBuiltinFunc(Value.getName());
}

/// Functions of the C library that the sources define themselves, under names which a compiler takes for the
/// library's.
std::set<std::string> ownOfLibrary(const Units &All) {
  std::set<std::string> Names;
  for (const auto &Unit : All)
    for (const llvm::GlobalValue &Value : Unit->global_values())
      if (isOwnOfLibrary(Value) || isOwnOfCompiler(Value))
        Names.insert(Value.getName().str());
  return Names;
}

Units compileAll(const std::vector<std::string> &Files, const ExtractionOptions &Options,
                 llvm::LLVMContext &Context) {
  Units All;
  for (const std::string &File : Files)
    All.push_back(compileOne(File, Options, Context));
  return All;
}

/// What the sources define themselves does what its body does: they are compiled once more, by a compiler
/// that does not know these functions.
Units compileProgram(const std::vector<std::string> &Files, ExtractionOptions Options,
                     llvm::LLVMContext &Context) {
  Units All = compileAll(Files, Options, Context);
  const std::set<std::string> Own = ownOfLibrary(All);
  if (Own.empty())
    return All;
  for (const std::string &Name : Own)
    (isParsed(Options) ? Options.Flags : Options.ExtraArgs).push_back("-fno-builtin-" + Name);
  return compileAll(Files, Options, Context);
}

} // namespace

std::unique_ptr<llvm::Module> compile(const std::vector<std::vector<std::string>> &Programs,
                                      const ExtractionOptions &Options, llvm::LLVMContext &Context) {
  std::vector<std::unique_ptr<llvm::Module>> Linked;
  for (const std::vector<std::string> &Files : Programs)
    Linked.push_back(link(compileProgram(Files, Options, Context), Files));
  std::unique_ptr<llvm::Module> All = beside(std::move(Linked));
  All->setIsNewDbgInfoFormat(true);
  return All;
}

} // namespace rdma::clang_ir

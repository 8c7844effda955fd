#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace rdma::clang_ir {

using namespace llvm;

bool isLibraryVariable(const Value *V) {
  static const StringSet<> Known = {"optarg",
                                    "optind",
                                    "opterr",
                                    "optopt",
                                    "signgam",
                                    "environ",
                                    "__environ",
                                    "_environ",
                                    "timezone",
                                    "__timezone",
                                    "daylight",
                                    "__daylight",
                                    "tzname",
                                    "__tzname",
                                    "getdate_err",
                                    "error_print_progname",
                                    "error_message_count",
                                    "error_one_per_line",
                                    "program_invocation_name",
                                    "program_invocation_short_name",
                                    "argp_program_version_hook",
                                    "obstack_alloc_failed_handler",
                                    "re_syntax_options",
                                    "loc1",
                                    "loc2",
                                    "locs",
                                    "svc_fdset",
                                    "stdin",
                                    "stdout",
                                    "stderr"};
  auto *Variable = dyn_cast_or_null<GlobalVariable>(V);
  return Variable && Variable->isDeclaration() && Known.contains(Variable->getName());
}

bool asksByName(const Function &F) {
  StringRef Name = F.getName();
  return Name == "dlsym" || Name == "dlvsym" || Name == "dlopen" || Name == "dlmopen";
}

bool leavesNothingOut(const Module &M) {
  return none_of(M, [](const Function &F) {
    const bool OfProgram = declarerOf(F) == Declarer::Program;
    return F.isDeclaration() && !F.isIntrinsic() && !F.use_empty() && (OfProgram || asksByName(F));
  });
}

bool definesItsVariables(const Module &M) {
  auto isOfLibrary = [](StringRef Name) {
    // Streams, tables of the library's classes and of built-in types.
    constexpr StringRef Known[] = {"_ZSt",        "_ZNSt",   "_ZTVSt",  "_ZTISt",  "_ZTTSt",
                                   "_ZTVNSt",     "_ZTINSt", "_ZTTNSt", "_ZGVNSt", "_ZTVN10__cxxabiv",
                                   "__dso_handle"};
    constexpr std::size_t OfBuiltIn = StringRef("_ZTIPKc").size();
    return any_of(Known, [&](StringRef Begin) { return Name.starts_with(Begin); }) ||
           (Name.starts_with("_ZTI") && Name.size() <= OfBuiltIn);
  };
  constexpr StringRef Ours = "rdma."; // what preparing the module adds
  return none_of(M.globals(), [&](const GlobalVariable &V) {
    return V.isDeclaration() && !V.use_empty() && !isLibraryVariable(&V) && !isMadeByLinker(V) &&
           !isOfLibrary(V.getName()) && !V.getName().starts_with(Ours);
  });
}

bool boundsSection(const GlobalVariable &Global) {
  return Global.isDeclaration() &&
         (Global.getName().starts_with("__start_") || Global.getName().starts_with("__stop_"));
}

bool isMadeByLinker(const GlobalVariable &Global) {
  StringRef Name = Global.getName();
  return boundsSection(Global) || (Global.isDeclaration() &&
                                   (Name == "end" || Name == "_end" || Name == "edata" || Name == "_edata" ||
                                    Name == "__bss_start" || Name == "__data_start" || Name == "data_start"));
}

bool isOwnOfLibrary(const GlobalValue &Value) {
  static const TargetLibraryInfoImpl Library{Triple("x86_64-unknown-linux-gnu")};
  if (!Value.getValueType()->isFunctionTy() || Value.isDeclarationForLinker() || Value.hasLocalLinkage() ||
      Value.getName().starts_with("_Z"))
    return false;
  LibFunc Known;
  auto *F = dyn_cast<Function>(&Value); // another name of one has no parameters of its own
  return F ? Library.getLibFunc(*F, Known) : Library.getLibFunc(Value.getName(), Known);
}

std::vector<const Function *> replacedIn(const Module &M) {
  static constexpr StringRef Known[] = {"cfree", "reallocarray", "posix_memalign", "memalign", "pvalloc"};
  std::vector<const Function *> All;
  for (const Function &F : M) {
    StringRef Name = F.getName();
    bool Operator = Name.starts_with("_Znw") || Name.starts_with("_Zna") || Name.starts_with("_Zdl") ||
                    Name.starts_with("_Zda");
    if (!F.isDeclaration() && !F.hasLocalLinkage() &&
        (Operator || is_contained(Known, Name) || isOwnOfLibrary(F)))
      All.push_back(&F);
  }
  return All;
}

std::vector<const Function *> hooksIn(const Module &M) {
  static constexpr StringRef Beginnings[] = {"__cyg_profile_func_",
                                             "__sanitizer_cov_",
                                             "__ubsan_handle_",
                                             "__asan_",
                                             "__tsan_",
                                             "__msan_",
                                             "__xray_"};
  static constexpr StringRef Known[] = {"mcount", "_mcount", "__mcount", "__fentry__",
                                        "memcpy", "memmove", "memset",   "memcmp"};
  std::vector<const Function *> All;
  for (const Function &F : M)
    if (!F.isDeclaration() && !F.hasLocalLinkage() &&
        (is_contained(Known, F.getName()) ||
         any_of(Beginnings, [&](StringRef Begin) { return F.getName().starts_with(Begin); })))
      All.push_back(&F);
  return All;
}

bool givesLength(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases("strlen", "strnlen", "wcslen", "strspn", "strcspn", "fread", "fwrite", true)
      .Cases("rand", "random", "lrand48", "rand_r", "time", "clock", true)
      .Default(false);
}

} // namespace rdma::clang_ir

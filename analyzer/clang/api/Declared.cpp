#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/frontend/Spelling.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>

#include <optional>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr StringRef VerbsHeaders[] = {
    "infiniband/verbs.h", "infiniband/verbs_api.h",   "rdma/rdma_cma.h",       "rdma/rdma_verbs.h",
    "rdma/order.h",       "rdma/order_completions.h", "rdma/order_requests.h", "rdma/order_waits.h"};

/// What C, POSIX and Linux call their headers. Their functions have returned what they were lent when they
/// return.
bool isStandard(StringRef BelowInclude) {
  static const std::set<StringRef> Names = {
      "aio.h",      "alloca.h",   "argp.h",    "assert.h",  "complex.h",  "cpio.h",      "ctype.h",
      "dirent.h",   "dlfcn.h",    "endian.h",  "err.h",     "errno.h",    "error.h",     "execinfo.h",
      "fcntl.h",    "fenv.h",     "fnmatch.h", "getopt.h",  "glob.h",     "grp.h",       "ifaddrs.h",
      "inttypes.h", "langinfo.h", "libgen.h",  "libintl.h", "limits.h",   "link.h",      "locale.h",
      "malloc.h",   "math.h",     "mqueue.h",  "netdb.h",   "numa.h",     "poll.h",      "printf.h",
      "pthread.h",  "pwd.h",      "regex.h",   "sched.h",   "search.h",   "semaphore.h", "setjmp.h",
      "signal.h",   "spawn.h",    "stdio.h",   "stdlib.h",  "string.h",   "strings.h",   "syslog.h",
      "termios.h",  "threads.h",  "time.h",    "uchar.h",   "ucontext.h", "unistd.h",    "utime.h",
      "wchar.h",    "wctype.h",   "wordexp.h"};
  for (StringRef Folder :
       {"c++/", "bits/", "sys/", "net/", "netinet/", "arpa/", "asm/", "asm-generic/", "linux/"})
    if (BelowInclude.starts_with(Folder))
      return true;
  return Names.count(BelowInclude);
}

/// Below the folders of the system's headers.
std::optional<StringRef> belowInclude(StringRef File) {
  for (StringRef Prefix : {"/usr/include/", "/usr/local/include/"})
    if (File.consume_front(Prefix)) {
      File.consume_front("x86_64-linux-gnu/");
      return File;
    }
  return std::nullopt;
}

Declarer byHeader(StringRef File) {
  for (StringRef Header : VerbsHeaders)
    if (File.ends_with(Header) && File.drop_back(Header.size()).ends_with("/"))
      return Declarer::Verbs;
  for (StringRef Prefix : {"/usr/include/", "/usr/local/include/", "/usr/lib/"}) {
    if (!File.consume_front(Prefix))
      continue;
    File.consume_front("x86_64-linux-gnu/");
    bool Compiler = Prefix == "/usr/lib/" &&
                    (File.starts_with("llvm-") || File.starts_with("gcc") || File.starts_with("clang"));
    return Compiler || isStandard(File) ? Declarer::Standard : Declarer::Library;
  }
  return Declarer::Program;
}

/// Methods and what the compiler itself calls are declared without a place.
Declarer bySymbol(StringRef Name) {
  if (!Name.starts_with("_Z"))
    return Declarer::Standard;
  for (StringRef Prefix : {"_ZN", "_ZNK", "_ZNV"})
    if (Name.starts_with(Prefix) && Name.size() > Prefix.size())
      for (StringRef Std : {"St", "Sa", "Ss", "Sb", "Si", "So", "Sd", "9__gnu_cxx", "10__cxxabiv1"})
        if (Name.substr(Prefix.size()).starts_with(Std))
          return Declarer::Standard;
  for (StringRef Prefix :
       {"_ZSt", "_ZSl", "_ZSr", "_Znw", "_Zna", "_Zdl", "_Zda", "_ZTv", "_ZTh", "_ZTW", "_ZTH"})
    if (Name.starts_with(Prefix))
      return Declarer::Standard;
  return Declarer::Program;
}

SmallString<128> headerOf(const DIFile *Named) {
  SmallString<128> File(Named->getFilename());
  if (!sys::path::is_absolute(File)) {
    File = Named->getDirectory();
    sys::path::append(File, Named->getFilename());
  }
  return SmallString<128>(realFile(File));
}

} // namespace

Declarer declarerOf(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  return Program && Program->getFile() ? byHeader(headerOf(Program->getFile())) : bySymbol(F.getName());
}

const DILocation *programPlace(const DILocation *At) {
  for (; At; At = At->getInlinedAt()) {
    const DISubprogram *Around = At->getScope()->getSubprogram();
    if (!Around || !Around->getFile() || byHeader(headerOf(Around->getFile())) != Declarer::Standard)
      break;
  }
  return At;
}

Declarer declarerOf(const DIType &T) {
  const DIFile *File = T.getFile();
  if (!File)
    return Declarer::Standard;
  const Declarer AsNamed = byHeader(File->getFilename());
  return AsNamed == Declarer::Program ? byHeader(headerOf(File)) : AsNamed;
}

bool isOfVerbs(const StructType *T, StringRef Name) {
  if (!T || !T->hasName())
    return false;
  StringRef Rest = T->getName();
  return Rest.consume_front("struct.") && Rest.consume_front(Name) &&
         (Rest.empty() || (Rest.consume_front(".") && all_of(Rest, isDigit)));
}

bool mayCarryOrder(const Function &F) {
  // Declared as a function of its arguments alone, as htonl is.
  if (F.doesNotAccessMemory())
    return false;
  // Streams of files, and the file system, of C++.
  for (StringRef Part :
       {"basic_filebuf", "basic_ofstream", "basic_ifstream", "basic_fstream", "10filesystem"})
    if (F.getName().contains(Part))
      return true;
  const DISubprogram *Program = F.getSubprogram();
  if (!Program || !Program->getFile())
    return false;
  SmallString<128> File = headerOf(Program->getFile());
  std::optional<StringRef> Header = belowInclude(File);
  if (!Header)
    return false;
  for (StringRef Folder : {"sys/", "net/", "netinet/", "arpa/", "asm/", "asm-generic/", "linux/"})
    if (Header->starts_with(Folder))
      return true;
  Header->consume_front("bits/");
  for (StringRef Name :
       {"aio", "dirent", "fcntl", "mqueue", "poll", "pthread", "sched", "semaphore", "setjmp", "signal",
        "sig", "socket", "spawn", "threads", "ucontext", "unistd", "utime"})
    if (Header->starts_with(Name))
      return true;
  return false;
}

bool mayLink(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.starts_with("_Z") || declarerOf(F) != Declarer::Standard)
    return false;
  for (StringRef Copying : {"_ZNSt7__cxx1112basic_string", "_ZNKSt7__cxx1112basic_string", "_ZNSs", "_ZNKSs",
                            "_ZNSi", "_ZNSo", "_ZStls", "_ZStrs", "_ZSt16__ostream_insert", "_ZSt7getline"})
    if (Name.starts_with(Copying))
      return false;
  return true;
}

const ApiRow *apiOf(const Function &F) {
  const ApiRow *Row = F.isDeclaration() ? apiOf(F.getName()) : nullptr;
  return Row && isOfStream(*Row) && ledElsewhere(*F.getParent()) ? nullptr : Row;
}

const ApiRow *rowOf(const Function &F) {
  const ApiRow *Row = apiOf(F);
  if (!Row || !F.getSubprogram())
    return Row;
  StringRef Name = StringRef(Row->Name).ltrim('_');
  bool Verbs = Name.starts_with("ibv_") || Name.starts_with("rdma_") || Name.ends_with("_to_ibv_rate");
  Declarer By = declarerOf(F);
  return (Verbs ? By == Declarer::Verbs : By != Declarer::Program && By != Declarer::Verbs) ? Row : nullptr;
}

const Function *calledFunction(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

const Value *leftOut(const CallBase &Wait) { return Wait.arg_size() > 1 ? Wait.getArgOperand(1) : nullptr; }

const ApiRow *rowOf(const CallBase &Call) {
  const Function *Callee = calledFunction(Call);
  return Callee ? rowOf(*Callee) : nullptr;
}

} // namespace rdma::clang_ir

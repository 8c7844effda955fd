#include "analyzer/clang/api/Messages.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/AccessPaths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Calls with a command, and those commands that concern the caller's own descriptor only.
struct Commands {
  StringRef Name;
  unsigned Argument;
  ArrayRef<std::uint64_t> Own;
};

constexpr std::uint64_t OfFcntl[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
constexpr std::uint64_t OfIoctl[] = {FIONBIO,      FIOCLEX,     FIONCLEX,      TIOCGWINSZ,
                                     SIOCGIFCONF,  SIOCGIFADDR, SIOCGIFFLAGS,  SIOCGIFNAME,
                                     SIOCGIFINDEX, SIOCGIFMTU,  SIOCGIFHWADDR, SIOCGIFNETMASK};
constexpr std::uint64_t OfSeek[] = {SEEK_SET};
constexpr std::uint64_t OfSocket[] = {SOL_SOCKET}; // what TCP is told may send what it has kept back

bool asksForOwn(const CallBase &Call, StringRef Name) {
  static const Commands Known[] = {{"fcntl", 1, OfFcntl}, {"fcntl64", 1, OfFcntl},
                                   {"ioctl", 1, OfIoctl}, {"setsockopt", 1, OfSocket},
                                   {"lseek", 2, OfSeek},  {"lseek64", 2, OfSeek}};
  for (const Commands &C : Known)
    if (Name == C.Name && C.Argument < Call.arg_size())
      if (auto *Command = dyn_cast<ConstantInt>(Call.getArgOperand(C.Argument)))
        return is_contained(C.Own, Command->getZExtValue());
  return false;
}

bool takesDescriptor(StringRef Name) {
  static constexpr StringRef Known[] = {
      "read",   "pread",    "pread64", "__read_chk", "recv",    "recvfrom", "__recv_chk", "write",
      "pwrite", "pwrite64", "send",    "sendto",     "dprintf", "vdprintf", "fstat",      "fstat64",
      "lseek",  "lseek64",  "fcntl",   "fcntl64",    "ioctl",   "close"};
  return is_contained(Known, Name);
}

bool isStandardFile(const Value *Given) {
  auto *Load = dyn_cast<LoadInst>(Given);
  auto *Global = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  return Global && Global->isDeclaration() &&
         (Global->getName() == "stdout" || Global->getName() == "stderr" || Global->getName() == "stdin");
}

/// A function of the C library that is not known and is given a FILE may read and write what it stands for.
bool isGivenFile(const CallBase &Call) {
  const Function *Callee = calledFunction(Call);
  const DISubprogram *Program = Callee && Callee->isDeclaration() ? Callee->getSubprogram() : nullptr;
  if (!Program || declarerOf(*Callee) != Declarer::Standard)
    return false;
  return any_of(Program->getType()->getTypeArray(), [](const DIType *T) {
    const DIType *Target = strip(pointee(T));
    return Target && Target->getName() == "_IO_FILE";
  });
}

} // namespace

FileUse fileUse(const CallBase &Call, const ApiRow *Row) {
  if (!Row)
    return {isGivenFile(Call), isGivenFile(Call)};
  if (tellsNothing(Call, *Row))
    return {};
  if (Row->Name == "fopen")
    return {false, sends(Call, *Row)};
  // A FILE that was written to may do so when it is read.
  if (Row->What == Api::SendsFile || Row->What == Api::ReceivesFile)
    return {Row->What == Api::ReceivesFile, true};
  static const StringSet<> Reading = {"read", "pread", "pread64", "__read_chk"};
  static const StringSet<> Writing = {"write",           "pwrite",  "pwrite64",  "dprintf",   "vdprintf",
                                      "truncate",        "ioctl",   "fallocate", "ftruncate", "ftruncate64",
                                      "posix_fallocate", "open",    "open64",    "openat",    "openat64",
                                      "creat",           "shm_open"};
  static const StringSet<> Both = {"sendfile", "splice"};
  bool Copies = Both.contains(Row->Name);
  return {Copies || Reading.contains(Row->Name), Copies || Writing.contains(Row->Name)};
}

bool sends(const CallBase &Call, const ApiRow &Row) {
  constexpr unsigned Mode = 1;
  StringRef How;
  if (Row.Name == "fopen" && Call.arg_size() > Mode && getConstantStringInfo(Call.getArgOperand(Mode), How) &&
      How.starts_with("r") && !How.contains('+'))
    return false;
  return Row.What == Api::Sends || Row.What == Api::SendsFile;
}

bool tellsNothing(const CallBase &Call, const ApiRow &Row) {
  StringRef Name = Row.Name;
  if (asksForOwn(Call, Name))
    return true;
  if (takesDescriptor(Name) && Call.arg_size())
    if (auto *File = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
      return File->getZExtValue() <= STDERR_FILENO;
  if (isOfStream(Row))
    return isStandardStream(Call.getArgOperand(0));
  return any_of(Call.args(), [](const Use &U) { return isStandardFile(U); });
}

} // namespace rdma::clang_ir

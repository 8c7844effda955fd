#include "analyzer/clang/api/Messages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
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

bool asksForOwn(const CallBase &Call, StringRef Name) {
  static const Commands Known[] = {{"fcntl", 1, OfFcntl},
                                   {"fcntl64", 1, OfFcntl},
                                   {"ioctl", 1, OfIoctl},
                                   {"lseek", 2, OfSeek},
                                   {"lseek64", 2, OfSeek}};
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

bool isStandardStream(const Value *Given) {
  auto *Load = dyn_cast<LoadInst>(Given);
  auto *Global = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  return Global && Global->isDeclaration() &&
         (Global->getName() == "stdout" || Global->getName() == "stderr" || Global->getName() == "stdin");
}

} // namespace

bool tellsNothing(const CallBase &Call, const ApiRow &Row) {
  StringRef Name = Row.Name;
  if (asksForOwn(Call, Name))
    return true;
  if (takesDescriptor(Name) && Call.arg_size())
    if (auto *File = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
      return File->getZExtValue() <= STDERR_FILENO;
  return any_of(Call.args(), [](const Use &U) { return isStandardStream(U); });
}

} // namespace rdma::clang_ir

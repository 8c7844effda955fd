#include "runtime/device/WriteGuard.h"

#include "runtime/device/GiveWay.h"
#include "runtime/device/Mappings.h"

#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace rdma::device {

namespace {

// One move at a time.
std::atomic<uint32_t> Moves{0};
std::atomic<bool> Moving{false};
struct sigaction Before;

// A thread that faults there again and again, with no move in between, has another reason to.
constexpr unsigned MaxTries = 64;
thread_local uint64_t LastAddress = 0;
thread_local uint32_t LastMove = 0;
thread_local unsigned Tries = 0;

bool isWritable(uint64_t Address) {
  bool Writable = false;
  forEachMapping(Address, Address + 1, [&](const Mapping &M) { Writable = M.Protection & PROT_WRITE; });
  return Writable;
}

/// A fault on a page that can be written by now was one of ours. (Not: a fault in the range of the last move.
/// The thread may come here long after it, when the machine is busy and more moves have followed.)
bool mayRetry(uint64_t Address) {
  uint32_t Move = Moves;
  while (Moving)
    giveWay();
  Tries = Address == LastAddress && Move == LastMove ? Tries + 1 : 0;
  LastAddress = Address;
  LastMove = Move;
  // The next move may have begun during the look.
  return Tries < MaxTries && (isWritable(Address) || Moving || Moves != Move);
}

/// Where the access was made.
const void *codeOf(void *Context) {
  const mcontext_t &Machine = static_cast<ucontext_t *>(Context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void *>(Machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void *>(Machine.pc);
#else
  return nullptr;
#endif
}

void onFault(int Signal, siginfo_t *Info, void *Context);

/// A card would go on with the pages that it has pinned; here nobody has them any more.
void explain(const siginfo_t &Info, void *Context) {
  constexpr char Text[] =
      "rdma: a request uses memory that the program has unmapped or protected since it was "
      "registered\n";
  Dl_info Ours, There;
  if (Info.si_code > 0 && dladdr(reinterpret_cast<void *>(onFault), &Ours) &&
      dladdr(codeOf(Context), &There) && Ours.dli_fbase == There.dli_fbase)
    (void)!write(STDERR_FILENO, Text, sizeof Text - 1);
}

void onFault(int Signal, siginfo_t *Info, void *Context) {
  if (Info->si_code == SEGV_ACCERR && mayRetry(reinterpret_cast<uint64_t>(Info->si_addr)))
    return;
  if (Before.sa_flags & SA_SIGINFO)
    return Before.sa_sigaction(Signal, Info, Context);
  if (Before.sa_handler != SIG_DFL && Before.sa_handler != SIG_IGN)
    return Before.sa_handler(Signal);
  explain(*Info, Context);
  // The default action: at the next attempt of the same access, or now when somebody sent the signal.
  signal(Signal, SIG_DFL);
  if (Info->si_code <= 0)
    raise(Signal);
}

void install() {
  struct sigaction Now = {}, Current = {};
  Now.sa_sigaction = onFault;
  Now.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, nullptr, &Current);
  if (Current.sa_flags & SA_SIGINFO && Current.sa_sigaction == onFault)
    return;
  Before = Current;
  sigaction(SIGSEGV, &Now, nullptr);
}

} // namespace

WriteGuard::WriteGuard() {
  install();
  ++Moves;
  Moving = true;
}

WriteGuard::~WriteGuard() { Moving = false; }

} // namespace rdma::device

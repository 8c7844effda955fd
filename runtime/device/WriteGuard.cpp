#include "runtime/device/WriteGuard.h"

#include <atomic>
#include <csignal>
#include <iterator>
#include <sched.h>

namespace rdma::device {

namespace {

// One move at a time. The bounds of the last ones stay, because a thread that faulted may come here long
// after: the machine is busy, and more moves have followed.
struct {
  std::atomic<uint64_t> Begin{0}, End{0};
} Moved[64];
std::atomic<uint32_t> Moves{0};
std::atomic<bool> Moving{false};
struct sigaction Before;

// A thread that faults there again and again has another reason to.
constexpr unsigned MaxTries = 64;
thread_local uint64_t LastAddress = 0;
thread_local unsigned Tries = 0;

bool mayRetry(uint64_t Address) {
  bool Known = false;
  for (auto &Range : Moved)
    Known |= Address >= Range.Begin && Address < Range.End;
  if (!Known)
    return false;
  while (Moving)
    sched_yield();
  Tries = Address == LastAddress ? Tries + 1 : 0;
  LastAddress = Address;
  return Tries < MaxTries;
}

void onFault(int Signal, siginfo_t *Info, void *Context) {
  if (Info->si_code == SEGV_ACCERR && mayRetry(reinterpret_cast<uint64_t>(Info->si_addr)))
    return;
  if (Before.sa_flags & SA_SIGINFO)
    return Before.sa_sigaction(Signal, Info, Context);
  if (Before.sa_handler != SIG_DFL && Before.sa_handler != SIG_IGN)
    return Before.sa_handler(Signal);
  // The default action, at the next attempt of the same access.
  signal(Signal, SIG_DFL);
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

WriteGuard::WriteGuard(uint64_t Begin, uint64_t End) {
  install();
  auto &Range = Moved[Moves++ % std::size(Moved)];
  Range.Begin = Begin;
  Range.End = End;
  Moving = true;
}

WriteGuard::~WriteGuard() { Moving = false; }

} // namespace rdma::device

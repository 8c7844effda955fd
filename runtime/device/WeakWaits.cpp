// The weak clock while the program sleeps until something happens.
#include "runtime/device/Weak.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>

namespace rdma::device {

namespace {

constexpr long SleepNap = 20'000;        ///< nanoseconds, of a program that waits for an event
constexpr uint64_t TicksPerNap = 1000;   ///< a nap takes longer than it asks for
constexpr uint64_t TicksBeforeNap = 250; ///< more than the short delays
constexpr uint64_t FirstNaps = 256;      ///< of a process; of what would be later ones, one in so many:
constexpr uint64_t PassesForNap = 32;
constexpr uint64_t TicksWithoutNap = 8000; ///< about the longest delay

} // namespace

bool WeakScheduler::isToldOfSignals() {
  constexpr int OfFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  for (int Signal = 1; Signal < NSIG; ++Signal) {
    struct sigaction Action;
    if (std::ranges::find(OfFaults, Signal) != std::end(OfFaults) || sigaction(Signal, nullptr, &Action))
      continue;
    if (Action.sa_handler != SIG_DFL && Action.sa_handler != SIG_IGN && !(Action.sa_flags & SA_RESTART))
      return true;
  }
  return false;
}

bool WeakScheduler::awaitEvent(int Fd) {
  pollfd Event = {Fd, POLLIN, 0};
  while (!Driven && !(fcntl(Fd, F_GETFL) & O_NONBLOCK)) {
    if (nap(&Event, 1, Clock::time_point::max()).value_or(1) >= 0 || errno != EINTR)
      break; // the read that follows sleeps for the rest
    if (isToldOfSignals()) {
      errno = EINTR;
      return false;
    }
  }
  return true;
}

int WeakScheduler::awaitEvents(pollfd *Files, size_t Count, int Milliseconds) {
  auto End = Clock::now() + std::chrono::milliseconds(Milliseconds);
  if (std::optional<int> Ready = nap(Files, Count, Milliseconds < 0 ? Clock::time_point::max() : End))
    return *Ready;
  auto Left = std::chrono::ceil<std::chrono::milliseconds>(End - Clock::now()).count();
  return poll(Files, Count, Milliseconds < 0 ? -1 : std::max(static_cast<int>(Left), 0));
}

std::optional<int> WeakScheduler::nap(pollfd *Files, size_t Count, Clock::time_point End) {
  // What is due soon comes at once, and others may see for a while that the rest is missing. Not each time
  // where a program waits very often: it would do nothing but sleep.
  static std::atomic<uint64_t> Passes{0};
  bool Naps = false;
  for (uint64_t Ticks = TicksBeforeNap; The && !The->Driven;) {
    timespec Nap = {0, Naps ? SleepNap : 0};
    if (int Ready = ppoll(Files, Count, &Nap, nullptr))
      return Ready;
    if (Clock::now() >= End)
      return 0;
    if (!The->passNap(Ticks))
      break;
    uint64_t Pass = Passes.fetch_add(1, std::memory_order_relaxed);
    Naps = Pass < FirstNaps || Pass % PassesForNap == 0;
    Ticks = Naps ? TicksPerNap : TicksWithoutNap;
  }
  return std::nullopt;
}

/// False when nothing is on its way: others have to act.
bool WeakScheduler::passNap(uint64_t Ticks) {
  std::lock_guard Guard(Lock);
  if (Active.empty())
    return false;
  Now += Ticks;
  run();
  return true;
}

} // namespace rdma::device

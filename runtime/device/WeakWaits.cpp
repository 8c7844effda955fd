// The weak clock while the program sleeps until something happens.
#include "runtime/device/Weak.h"

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

void WeakScheduler::awaitEvent(int Fd) {
  if (Driven || fcntl(Fd, F_GETFL) & O_NONBLOCK)
    return;
  pollfd Event = {Fd, POLLIN, 0};
  awaitEvents(&Event, 1, -1);
}

int WeakScheduler::awaitEvents(pollfd *Files, size_t Count, int Milliseconds) {
  auto End = Clock::now() + std::chrono::milliseconds(Milliseconds);
  // What is due soon comes at once, and others may see for a while that the rest is missing. Not each time
  // where a program waits very often: it would do nothing but sleep.
  static std::atomic<uint64_t> Passes{0};
  bool Naps = false;
  for (uint64_t Ticks = TicksBeforeNap; The && !The->Driven;) {
    timespec Nap = {0, Naps ? SleepNap : 0};
    if (int Ready = ppoll(Files, Count, &Nap, nullptr))
      return Ready;
    if (Milliseconds >= 0 && Clock::now() >= End)
      return 0;
    if (!The->passNap(Ticks))
      break;
    uint64_t Pass = Passes.fetch_add(1, std::memory_order_relaxed);
    Naps = Pass < FirstNaps || Pass % PassesForNap == 0;
    Ticks = Naps ? TicksPerNap : TicksWithoutNap;
  }
  auto Left = std::chrono::ceil<std::chrono::milliseconds>(End - Clock::now()).count();
  return poll(Files, Count, Milliseconds < 0 ? -1 : std::max(static_cast<int>(Left), 0));
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

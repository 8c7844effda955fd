// Some programs that wait give their processor to others all the time, which a clock of verbs calls has to
// know: on a busy machine they make a few hundred of those in a second. So the device stands before
// sched_yield: of the programs that link with it, and by what rdma-run preloads (runtime/preload.c), of all.
#include "runtime/device/Weak.h"

#include <atomic>

#include <dlfcn.h>
#include <sched.h>

using rdma::device::WeakScheduler;

extern "C" int sched_yield() noexcept {
  // Not at the first call, which an allocator may make while it waits for a lock of its own.
  using Call = int();
  static std::atomic<Call *> Known;
  Call *Next = Known.load(std::memory_order_relaxed);
  if (!Next) {
    Next = reinterpret_cast<Call *>(dlsym(RTLD_NEXT, "sched_yield"));
    Known.store(Next, std::memory_order_relaxed);
  }
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->yielded();
  return Next();
}

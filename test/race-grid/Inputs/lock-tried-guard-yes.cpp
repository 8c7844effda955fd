// try_to_lock, and no look whether it has the lock.
#define MUTEX std::mutex
#define GUARD std::unique_lock<std::mutex>
#include "under-guard.h"
static void writer() {
  GUARD g(M, std::try_to_lock);
  change();
}

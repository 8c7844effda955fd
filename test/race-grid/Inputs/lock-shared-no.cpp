// Both hold a unique_lock of a shared mutex.
#define MUTEX std::shared_mutex
#define GUARD std::unique_lock<std::shared_mutex>
#include "under-guard.h"
static void writer() {
  GUARD g(M);
  change();
}

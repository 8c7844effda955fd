// Both hold a shared_lock, which keeps neither out.
#define MUTEX std::shared_mutex
#define GUARD std::shared_lock<std::shared_mutex>
#include "under-guard.h"
static void writer() {
  GUARD g(M);
  change();
}

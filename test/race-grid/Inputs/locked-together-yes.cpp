// Two mutexes are taken at once; the other takes one of them, or a third.
#include <mutex>
#define OWN_WRITER
#include "under-lock.h"
static std::mutex a, b, c;
static void enter(void) { std::lock(a, b); }
static void leave(void) {
  a.unlock();
  b.unlock();
}
static void *writer(void *p) {
  std::scoped_lock g(c);
  change();
  return p;
}

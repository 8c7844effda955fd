// Two mutexes are taken at once; the other takes one of them, or a third.
#include "grid.h"
#include <atomic>
#include <mutex>
#include <thread>
static char page[64];
static std::atomic<int> posted;
static std::mutex a, b, c;
static void writer() {
  std::scoped_lock g(c);
  if (posted)
    page[0] = 1;
}
extern "C" void run(struct link *l) {
  std::thread t(writer);
  {
    std::scoped_lock g(a, b);
    put(l, page, 64, 0);
    posted = 1;
    take(l->cq);
  }
  t.join();
}

// try_to_lock, and then a look whether it has the lock.
#include "grid.h"
#include <atomic>
#include <mutex>
#include <thread>
static char page[64];
static std::atomic<bool> Posted;
static std::mutex M;
extern "C" void run(struct link *l) {
  std::thread t([l] {
    std::unique_lock<std::mutex> g(M);
    put(l, page, 64, 0);
    Posted = true;
    take(l->cq);
  });
  {
    std::unique_lock<std::mutex> g(M, std::try_to_lock);
    if (g.owns_lock())
    if (Posted)
      page[0] = 1;
  }
  t.join();
}

// Both hold a shared_lock, which keeps neither out.
#include "grid.h"
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
static char page[64];
static std::shared_mutex M;
static std::atomic<bool> Posted{false};
extern "C" void run(struct link *l) {
  std::thread t([l] {
    std::shared_lock<std::shared_mutex> g(M);
    put(l, page, 64, 0);
    Posted = true;
    take(l->cq);
  });
  {
    std::shared_lock<std::shared_mutex> g(M);
    if (Posted)
      page[0] = 1;
  }
  t.join();
}

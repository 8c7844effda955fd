// A thread of a member function counts completions, of which one too few is waited for.
#include "grid.h"
#include <atomic>
#include <thread>
struct Client {
  struct link *L;
  std::atomic<int> Done{0};
  uint64_t Value = 0;
  void poll(int count) {
    for (int i = 0; i < count; ++i) {
      take(L->cq);
      Done.fetch_add(1, std::memory_order_release);
    }
  }
  void work() {
    std::thread poller(&Client::poll, this, 2);
    for (int i = 0; i < 2; ++i) {
      Value = i;
      put(L, &Value, 8, 0);
      while (Done.load(std::memory_order_acquire) < i)
        ;
    }
    poller.join();
  }
};
extern "C" void run(struct link *l) {
  Client c{l};
  c.work();
}

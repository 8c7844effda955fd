// Whoever comes back from std::call_once finds the request complete.
// REMARK: other threads post to queue pair 'l->qp', too
#include "grid.h"
#include <mutex>
#include <thread>
static char buf[64];
static std::once_flag once;
static void fill_and_put(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
extern "C" void run(struct link *l) {
  std::thread t([l] { std::call_once(once, [l] { fill_and_put(l); }); });
  std::call_once(once, [l] { fill_and_put(l); });
  buf[0] = 2;
  t.join();
}

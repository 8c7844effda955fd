// A task is over before the request is.
#include "grid.h"
#include <future>
#include <thread>
#include <utility>
static char buf[64];
extern "C" void run(struct link *l) {
  std::packaged_task<char(unsigned)> task([l](unsigned n) {
    put(l, buf, n, 0);
    return buf[0];
  });
  std::future<char> result = task.get_future();
  std::thread worker(std::move(task), 64);
  buf[1] = result.get();
  worker.join();
}

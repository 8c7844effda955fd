// Two threads use one vector, each in sections of one lock.
#include "grid.h"
#include <vector>
#include <mutex>
#include <thread>
static char buf[64];
static std::mutex guard;
static std::vector<int> jobs;
static void work() {
  std::lock_guard<std::mutex> held(guard);
  if (!jobs.empty())
    jobs.pop_back();
}
extern "C" void run(struct link *l) {
  std::thread worker(work);
  put(l, buf, 64, 0);
  take(l->cq);
  {
    std::lock_guard<std::mutex> held(guard);
    jobs.push_back(1);
  }
  worker.join();
}

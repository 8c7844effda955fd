// Two threads use two vectors, each in sections of one lock.
#include "grid.h"
#include <vector>
#include <mutex>
#include <thread>
static char buf[64];
static std::mutex guard;
static std::vector<int> jobs, done;
static std::size_t seen, left;
static void work() {
  std::lock_guard<std::mutex> held(guard);
  if (!jobs.empty())
    jobs.pop_back();
  seen = done.size();
}
extern "C" void run(struct link *l) {
  jobs.push_back(1);
  std::thread worker(work);
  put(l, buf, 64, 0);
  take(l->cq);
  {
    std::lock_guard<std::mutex> held(guard);
    done.push_back(1);
    left = jobs.size();
  }
  worker.join();
}

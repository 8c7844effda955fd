#include "runtime/device/EventSources.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

namespace rdma::device::sources {

namespace {

struct Source {
  void *Object;
  unsigned Unacknowledged = 0;
};

struct Sources {
  std::mutex Lock;
  std::condition_variable Acknowledged;
  std::map<uint64_t, Source> All;
  uint64_t Last = 0;
};

Sources &the() {
  static auto *The = new Sources; // never destroyed: threads may still run when the process exits
  return *The;
}

} // namespace

uint64_t enroll(void *Object) {
  std::lock_guard Guard(the().Lock);
  the().All.insert({++the().Last, {Object}});
  return the().Last;
}

void retire(uint64_t Number) {
  std::unique_lock Guard(the().Lock);
  auto At = the().All.find(Number);
  the().Acknowledged.wait(Guard, [&] { return At->second.Unacknowledged == 0; });
  the().All.erase(At);
}

void *beginEvent(uint64_t Number) {
  std::lock_guard Guard(the().Lock);
  auto At = the().All.find(Number);
  if (At == the().All.end())
    return nullptr;
  ++At->second.Unacknowledged;
  return At->second.Object;
}

void endEvent(const void *Object) {
  std::lock_guard Guard(the().Lock);
  auto At = std::find_if(the().All.begin(), the().All.end(), [&](const auto &Each) {
    return Each.second.Object == Object && Each.second.Unacknowledged;
  });
  if (At == the().All.end())
    return;
  --At->second.Unacknowledged;
  the().Acknowledged.notify_all();
}

} // namespace rdma::device::sources

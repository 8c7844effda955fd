// Who joins a thread that has been detached waits for nothing, and goes on with what was thrown.
#include "grid.h"
#include <system_error>
#include <thread>
static char page[64];
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  std::thread other([l] { take(l->cq); });
  other.detach();
  try {
    other.join();
  } catch (const std::system_error &) {
  }
  page[0] = 1;
}

// A std::thread is joined that does not detach itself.
#include "grid.h"
#include <pthread.h>
#include <system_error>
#include <thread>
static char page[64];
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  std::thread other([l] { take(l->cq); });
  try {
    other.join();
  } catch (const std::system_error &) {
  }
  page[0] = 1;
}

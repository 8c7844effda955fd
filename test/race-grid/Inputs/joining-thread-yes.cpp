// A std::jthread, for which its block waits at its end, does not wait for what it sends.
#include "grid.h"
#include <thread>
static char buf[64];
extern "C" void run(struct link *l) {
  {
    std::jthread sender([=] { put(l, buf, 64, 0); });
  }
  buf[0] = 1;
}

// Another thread puts and does not wait; who has its result uses the buffer.
#include "grid.h"
#include <future>
static char buf[64];
extern "C" void run(struct link *l) {
  auto done = std::async(std::launch::async, [l] {
    put(l, buf, 64, 0);
    return buf[0];
  });
  buf[1] = done.get();
}

// What std::call_once calls stores to the buffer that the NIC reads.
#include "grid.h"
#include <mutex>
static char buf[64];
static std::once_flag once;
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  std::call_once(once, [] { buf[0] = 1; });
  take(l->cq);
}

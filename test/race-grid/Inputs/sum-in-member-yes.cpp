// A failed poll makes a sum that a member keeps larger than what is waited for.
#include "grid.h"
static char buf[4][64];
struct Waiter {
  struct link *l;
  size_t done = 0;
  void wait(size_t n) {
    ibv_wc wc[4];
    while (done < n)
      done += ibv_poll_cq(l->cq, 4, wc);
  }
};
extern "C" void run(struct link *l) {
  Waiter w{l};
  for (int i = 0; i < 4; i++)
    put(l, buf[i], 64, 64 * i);
  w.wait(4);
  buf[0][0] = 1;
}

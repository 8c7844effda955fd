// Where nothing has come, as a status says that a function stores, nothing is done.
#include "grid.h"
static char buf[64];
static void arm(int &status) { status = 5000; }
extern "C" void run(link *l) {
  ibv_wc wc;
  arm(reinterpret_cast<int &>(wc.status));
  put(l, buf, 64, 0);
  while (ibv_poll_cq(l->cq, 1, &wc) == 0)
    if (static_cast<int>(wc.status) == 5000) {
      return;
    }
  buf[0] = 1;
}

// A function of the program is called like one of the library's.
#include "grid.h"
static char buf[64];
static void ibv_send_buffer(struct link *l) { put(l, buf, 64, 0); }
void run(struct link *l) {
  ibv_send_buffer(l);
  take(l->cq);
  buf[0] = 1;
}

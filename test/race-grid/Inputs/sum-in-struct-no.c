// A failed poll ends the program before it is added to a counter of a struct.
#include "grid.h"
static char buf[64];
struct state {
  uint64_t sent, done;
};
void run(struct link *l, struct state *s) {
  struct ibv_wc wc[4];
  s->sent = s->done = 0;
  for (int i = 0; i < 4; i++) {
    put(l, buf, 64, 0);
    s->sent++;
  }
  while (s->done < s->sent) {
    int k = ibv_poll_cq(l->cq, 4, wc);
    if (k < 0)
      abort();
    s->done += k;
  }
  buf[0] = 1;
}

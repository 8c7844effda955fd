// A failed poll makes a counter of a struct larger than what has been sent.
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
  while (s->done < s->sent)
    s->done += ibv_poll_cq(l->cq, 4, wc);
  buf[0] = 1;
}

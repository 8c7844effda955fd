// CORRECTED TWIN OF: The last slot of one connection's ring is the first of the other's.
#include "grid.h"
struct state {
  int sent, done;
};
static struct state states[2];
static uint64_t ring[6][8];
static int reap(struct link *l) {
  struct ibv_wc wc;
  return ibv_poll_cq(l->cq, 1, &wc);
}
static void window(struct link *l, struct state *s, int first) {
  while (s->sent - s->done >= 3)
    s->done += reap(l);
  ring[first + s->sent % 3][0] = s->sent;
  put(l, ring[first + s->sent % 3], 64, 64 * first);
  s->sent++;
}
void run(struct link *l, struct link *m, int rounds) {
  for (int i = 0; i < rounds; i++) {
    window(l, &states[0], 0);
    window(m, &states[1], 3);
  }
}

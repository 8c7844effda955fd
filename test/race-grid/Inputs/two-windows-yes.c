// A window for each of two connections; the completions that the first counts are the other one's.
#include "grid.h"
static uint64_t near[2], far[3];
void run(struct link *l, struct link *m, int rounds) {
  int posted = 0, done = 0, sent = 0, over = 0;
  struct ibv_wc wc;
  for (int i = 0; i < rounds; i++) {
    while (posted - done >= 2)
      done += ibv_poll_cq(m->cq, 1, &wc);
    near[posted % 2] = i;
    put(l, &near[posted % 2], 8, 0);
    posted++;
    while (sent - over >= 3)
      over += ibv_poll_cq(m->cq, 1, &wc);
    far[sent % 3] = i;
    put(m, &far[sent % 3], 8, 64);
    sent++;
  }
}

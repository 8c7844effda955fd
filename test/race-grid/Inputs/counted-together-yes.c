// The completions of two queues are counted together, and all of them are but one awaited.
#include "grid.h"
static uint64_t near, far;
void run(struct link *l, struct link *m, int rounds) {
  struct ibv_wc wc;
  for (int i = 0; i < rounds; i++) {
    near = far = i;
    put(l, &near, 8, 0);
    put(m, &far, 8, 8);
    int got = 0;
    while (got < 1) {
      got += ibv_poll_cq(l->cq, 1, &wc);
      got += ibv_poll_cq(m->cq, 1, &wc);
    }
  }
}

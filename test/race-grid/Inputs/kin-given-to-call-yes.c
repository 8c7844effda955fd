// What the call is given may be the counts of the window.
#include "grid.h"
struct counts {
  unsigned posted, done;
};
static char slots[8][64];
void report(void *what);
void run(struct link *l, struct counts *c, struct counts *other, int count) {
  struct ibv_wc wc[8];
  c->posted = c->done = 0;
  for (int i = 0; i < count; i++) {
    while (c->posted - c->done >= 8) {
      int n = ibv_poll_cq(l->cq, 8, wc);
      if (n < 0)
        abort();
      c->done += n;
    }
    memset(slots[i % 8], i, 64);
    put(l, slots[i % 8], 64, 0);
    c->posted++;
    report(other);
  }
}

// Through another pointer that the caller gave, the counts may be exchanged for others.
#include "grid.h"
struct counts {
  unsigned posted, done;
};
struct holder {
  long id;
  struct counts *counts;
};
static char slots[8][64];
static struct counts others;
void run(struct link *l, struct holder *h, struct holder *g, int count) {
  struct ibv_wc wc[8];
  h->counts->posted = h->counts->done = 0;
  for (int i = 0; i < count; i++) {
    while (h->counts->posted - h->counts->done >= 8) {
      int n = ibv_poll_cq(l->cq, 8, wc);
      if (n < 0)
        abort();
      h->counts->done += n;
    }
    memset(slots[i % 8], i, 64);
    put(l, slots[i % 8], 64, 0);
    h->counts->posted++;
    if (i == 5)
      g->counts = &others;
  }
}

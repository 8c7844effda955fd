// A failed poll makes a sum larger than the number of requests.
#include "grid.h"
static char buf[8][64];
void run(struct link *l, unsigned n) {
  struct ibv_wc wc[8];
  if (n > 8)
    abort();
  for (unsigned i = 0; i < n; i++)
    put(l, buf[i], 64, 0);
  unsigned done = 0;
  do
    done += ibv_poll_cq(l->cq, n, wc);
  while (done < n);
  buf[0][0] = 1;
}

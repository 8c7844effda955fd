// A static counter of what is out, waited for until it is zero: main has called another entry first, which leaves it below.
#include "grid.h"
static char page[4][64];
static int out;
void lead(void) { out = -2; }
void run(struct link *l) {
  for (int i = 0; i < 4; ++i) {
    put(l, page[i], 64, 64 * i);
    out++;
  }
  while (out > 0) {
    struct ibv_wc done[4];
    int n = ibv_poll_cq(l->cq, 4, done);
    if (n < 0)
      abort();
    out -= n;
  }
  page[3][0] = 1;
}
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    lead();
  run(NULL);
  return 0;
}

// Behind a ring of requests a READ is posted while one of them may be out: the poll behind it may find that
// one.
#define OWN_SERVER
#include "grid.h"
#include <unistd.h>
volatile uint64_t inbox[2];
uint64_t seen;
void serve(int from) {
  char told;
  if (read(from, &told, 1) == 1)
    seen = inbox[0];
}
static uint64_t ring[8], sink;
enum { rounds = 40 };
void run(struct link *l, int to) {
  struct ibv_wc wc[8];
  int posted = 0, done = 0;
  while (done + 1 < rounds) {
    while (posted < rounds && posted - done < 8) {
      ring[posted % 8] = posted;
      put(l, &ring[posted % 8], 8, 0);
      posted++;
    }
    int taken = ibv_poll_cq(l->cq, 8, wc);
    if (taken < 0)
      abort();
    for (int i = 0; i < taken; i++)
      if (wc[i].status != IBV_WC_SUCCESS)
        abort();
    done += taken;
  }
  fetch(l, &sink, 8, 0);
  take(l->cq);
  write(to, "", 1);
}

// A credit is taken when none is owed, though there may be none.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
enum { RING = 4 };
static char ring[RING][64];
static atomic_int credits = RING;
static struct link *lk;
static void *reap(void *none) {
  for (;;) {
    take(lk->cq);
    atomic_fetch_add(&credits, 1);
  }
  return none;
}
void run(struct link *l, int n) {
  pthread_t t;
  lk = l;
  pthread_create(&t, 0, reap, 0);
  for (unsigned i = 0; i < (unsigned)n; i++) {
    while (atomic_load(&credits) < 0)
      ;
    atomic_fetch_sub(&credits, 1);
    memset(ring[i % RING], i, 64);
    put(l, ring[i % RING], 64, 0);
  }
}

// There are as many credits as buffers before the threads are started.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
enum { RING = 4 };
static char ring[RING][64];
static atomic_int credits = 2 * RING, others;
static struct link *lk;
static int rounds;
static void *reap(void *none) {
  for (;;) {
    take(lk->cq);
    atomic_fetch_add(&credits, 1);
  }
  return none;
}
static void *send_all(void *none) {
  for (int i = 0; i < rounds; i++) {
    while (atomic_load(&credits) <= 0)
      ;
    atomic_fetch_sub(&credits, 1);
    memset(ring[i % RING], i, 64);
    put(lk, ring[i % RING], 64, 0);
  }
  return none;
}
void run(struct link *l, int n) {
  pthread_t t, u;
  atomic_int *fewer = &credits;
  lk = l;
  rounds = n;
  atomic_store(fewer, RING);
  pthread_create(&t, 0, reap, 0);
  pthread_create(&u, 0, send_all, 0);
  pthread_join(u, 0);
  pthread_join(t, 0);
}

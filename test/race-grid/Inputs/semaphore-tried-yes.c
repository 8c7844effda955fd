// Whether the semaphore was given is tried once.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
static char buf[64];
static sem_t done;
static struct link *lk;
static void *reap(void *none) {
  for (;;) {
    take(lk->cq);
    if (sem_post(&done))
      abort();
  }
  return none;
}
void run(struct link *l, int n) {
  pthread_t t;
  lk = l;
  if (sem_init(&done, 0, 0))
    abort();
  pthread_create(&t, 0, reap, 0);
  for (int i = 0; i < n; i++) {
    memset(buf, i, 64);
    put(l, buf, 64, 0);
    if (sem_trywait(&done) != 0)
      ;
  }
}

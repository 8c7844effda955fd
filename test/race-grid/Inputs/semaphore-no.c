// A semaphore lets the helper change what may still be read.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
static char buf[64];
static sem_t posted;
static void *reuse(void *p) {
  sem_wait(&posted);
  buf[0] = 1;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  sem_init(&posted, 0, 0);
  pthread_create(&t, 0, reuse, 0);
  put(l, buf, 64, 0);
  take(l->cq);
  sem_post(&posted);
  pthread_join(t, 0);
}

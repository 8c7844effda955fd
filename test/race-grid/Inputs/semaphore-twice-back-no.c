// A semaphore that is used as a lock is given back once more than it was taken.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static char page[64];
static int posted;
static void *writer(void *p) {
  sem_wait(&s);
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
  sem_post(&s);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  sem_init(&s, 0, 1);
  if (pthread_create(&t, 0, writer, 0))
    abort();
  sem_wait(&s);
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  sem_post(&s);
  pthread_join(t, 0);
}

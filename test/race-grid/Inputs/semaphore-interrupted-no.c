// A handler of a signal lets sem_wait return without the semaphore.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
static sem_t s;
static char page[64];
static int posted;
static void rings(int number) {}
static void enter(void) {
  while (sem_wait(&s))
    ;
}
static void *writer(void *p) {
  enter();
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
  sem_post(&s);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  sem_init(&s, 0, 1);
  signal(SIGALRM, rings);
  if (pthread_create(&t, 0, writer, 0))
    abort();
  enter();
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  sem_post(&s);
  pthread_join(t, 0);
}

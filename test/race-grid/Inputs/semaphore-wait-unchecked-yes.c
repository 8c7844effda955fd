// Nobody asks whether the semaphore was given, and a handler of a signal interrupts who waits for it.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
static sem_t done;
static char page[64];
static struct link *lk;
static void rings(int number) {}
static void *reap(void *none) {
  for (;;) {
    take(lk->cq);
    sem_post(&done);
  }
  return none;
}
void run(struct link *l, int n) {
  pthread_t t;
  lk = l;
  signal(SIGALRM, rings);
  sem_init(&done, 0, 0);
  pthread_create(&t, 0, reap, 0);
  for (int i = 0; i < n; i++) {
    memset(page, i, 64);
    put(l, page, 64, 0);
    sem_wait(&done);
  }
}

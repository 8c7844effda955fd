// Of two semaphores the one that is waited for is set up with as many as there are buffers.
#include "grid.h"
#include <pthread.h>
#include <semaphore.h>
enum { RING = 4 };
static char ring[RING][64];
static sem_t room[2];
static struct link *lk;
static int rounds;
static void *reap(void *none) {
  for (;;) {
    take(lk->cq);
    sem_post(&room[1]);
  }
  return none;
}
static void *send_all(void *none) {
  for (int i = 0; i < rounds; i++) {
    sem_wait(&room[1]);
    memset(ring[i % RING], i, 64);
    put(lk, ring[i % RING], 64, 0);
  }
  return none;
}
void run(struct link *l, int n) {
  pthread_t t, u;
  lk = l;
  rounds = n;
  sem_init(&room[0], 0, RING + 2);
  sem_init(&room[1], 0, RING);
  pthread_create(&t, 0, reap, 0);
  pthread_create(&u, 0, send_all, 0);
  pthread_join(u, 0);
  pthread_join(t, 0);
}

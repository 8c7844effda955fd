// One lock guards a queue of two threads; between post and poll one of two locks is given back for a while.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *locks[2] = {&m, &n};
volatile int chosen;
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&m);
    fetch(l, &page[id], 8, 8 * id);
    pthread_mutex_unlock(locks[chosen & 1]);
    pthread_mutex_lock(&m);
    take(l->cq);
    page[id]++;
    pthread_mutex_unlock(&m);
  }
}
void run(struct link *l) {
  pthread_t sharers[2];
  start(sharers, l);
  finish(sharers);
}

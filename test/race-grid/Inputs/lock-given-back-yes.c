// One lock guards a queue of two threads; between post and poll one waits for a condition, and gives one of two locks back.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t *which = &m;
void choose(int other) {
  if (other)
    which = &n;
}
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&m);
    fetch(l, &page[id], 8, 8 * id);
    pthread_cond_wait(&turn, which);
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

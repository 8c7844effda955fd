// Two threads take the completions of one queue under a lock; a third posts under it, and takes its own.
#include "sharers.h"
static uint64_t word[1];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&m);
    fetch(l, &page[id], 8, 8 * id);
    take(l->cq);
    page[id]++;
    pthread_mutex_unlock(&m);
  }
}
static void *third(void *p) {
  struct link *l = p;
  pthread_mutex_lock(&m);
  put(l, word, 8, 64);
  take(l->cq);
  pthread_mutex_unlock(&m);
  return p;
}
void run(struct link *l) {
  pthread_t sharers[2], c;
  start(sharers, l);
  pthread_create(&c, 0, third, l);
  finish(sharers);
  pthread_join(c, 0);
}

// Two threads take the completions of one queue under a lock; a third posts under it, and takes its own.
#include "grid.h"
#include <pthread.h>
static uint64_t page[2], word[1];
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
static void *first(void *p) {
  use(p, 0);
  return p;
}
static void *second(void *p) {
  use(p, 1);
  return p;
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
  pthread_t a, b, c;
  pthread_create(&a, 0, first, l);
  pthread_create(&b, 0, second, l);
  pthread_create(&c, 0, third, l);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
}

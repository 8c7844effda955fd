// One lock guards a queue of two threads; between post and poll one waits for a condition, and gives one of two locks back.
#include "grid.h"
#include <pthread.h>
static uint64_t page[2];
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
static void *first(void *p) {
  use(p, 0);
  return p;
}
static void *second(void *p) {
  use(p, 1);
  return p;
}
void run(struct link *l) {
  pthread_t a, b;
  pthread_create(&a, 0, first, l);
  pthread_create(&b, 0, second, l);
  pthread_join(a, 0);
  pthread_join(b, 0);
}

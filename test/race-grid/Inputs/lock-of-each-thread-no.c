// Two threads take the completions of one queue under a lock: both under the same one.
#include "grid.h"
#include <pthread.h>
static uint64_t page[2];
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
void run(struct link *l) {
  pthread_t a, b;
  pthread_create(&a, 0, first, l);
  pthread_create(&b, 0, second, l);
  pthread_join(a, 0);
  pthread_join(b, 0);
}

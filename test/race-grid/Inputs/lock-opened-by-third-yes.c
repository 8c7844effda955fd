// One lock guards a queue of two threads; a third gives it back, whoever holds it.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(struct link *l, int id) {
  pthread_mutex_lock(&m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  pthread_mutex_unlock(&m);
  page[id] = 1;
}
static void *third(void *p) {
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

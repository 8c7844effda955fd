// One lock guards a queue of two threads; a READ brings in what lies beside it.
#include "sharers.h"
static struct {
  uint64_t counters[4];
  pthread_mutex_t m;
} shared = {.m = PTHREAD_MUTEX_INITIALIZER};
static void use(struct link *l, int id) {
  pthread_mutex_lock(&shared.m);
  fetch(l, shared.counters, sizeof shared.counters, 64);
  take(l->cq);
  pthread_mutex_unlock(&shared.m);
  pthread_mutex_lock(&shared.m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  pthread_mutex_unlock(&shared.m);
  page[id] = 1;
}
void run(struct link *l) {
  pthread_t sharers[2];
  start(sharers, l);
  finish(sharers);
}

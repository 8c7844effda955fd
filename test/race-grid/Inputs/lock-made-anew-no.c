// One lock guards a queue of two threads; each makes another anew.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other[2];
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    memset(&other[id], 0, sizeof other[id]);
    pthread_mutex_lock(&m);
    fetch(l, &page[id], 8, 8 * id);
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

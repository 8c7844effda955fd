// Two threads take the completions of one queue under a lock: both under the same one.
#include "sharers.h"
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
void run(struct link *l) {
  pthread_t sharers[2];
  start(sharers, l);
  finish(sharers);
}

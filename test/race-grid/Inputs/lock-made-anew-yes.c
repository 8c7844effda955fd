// One lock guards a queue of two threads; each makes it anew, held by the other or not.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    memset(&m, 0, sizeof m);
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
